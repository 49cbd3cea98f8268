// SPDX-License-Identifier: BSD-3-Clause
// See mpi.hpp.
#include "tracer/report/mpi/mpi.hpp"

#include <algorithm>

#include "tracer/report/measures/processes.hpp"

namespace tracer::report {
namespace {

/// The one with the most time; of equal ones the first.
std::pair<std::uint32_t, std::uint64_t> most_of(const std::unordered_map<std::uint32_t, std::uint64_t>& by_rank) {
  std::pair<std::uint32_t, std::uint64_t> most{0, 0};
  for (const auto& [rank, ns] : by_rank)
    if (ns > most.second || (ns == most.second && rank < most.first)) most = {rank, ns};
  return most;
}

bool is_collective(RegionRole role) {
  return role == RegionRole::coll_one2all || role == RegionRole::coll_all2one || role == RegionRole::coll_all2all ||
         role == RegionRole::coll_other || role == RegionRole::barrier;
}

template <class Row>
void by_time(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.total > b.total; });
}

}  // namespace

Mpi::Mpi(const Definitions& definitions, const Replay& replay)
    : definitions_{definitions}, replay_{replay}, world_{definitions} {
  std::map<std::string, std::uint32_t> known;
  for (const Region& region : definitions.regions) {
    std::uint32_t function = undefined_ref;
    if (region.paradigm == Paradigm::mpi) {
      const auto [found, is_new] = known.emplace(region.canonical, static_cast<std::uint32_t>(functions_.size()));
      if (is_new) functions_.push_back(region.canonical);
      function = found->second;
    }
    function_of_.push_back(function);
  }
  ranks_.resize(world_.ranks());
  calls_.resize(world_.ranks());
  main_.assign(world_.ranks(), undefined_ref);
  for (std::uint32_t rank = 0; rank < world_.ranks(); ++rank) {
    ranks_[rank].rank = rank;
    ranks_[rank].group = world_.group_of(rank);
  }
  matrix_.ranks_per_cell = std::max(1u, (world_.ranks() + most_cells - 1) / most_cells);
  matrix_.cells = (world_.ranks() + matrix_.ranks_per_cell - 1) / matrix_.ranks_per_cell;
  matrix_.messages.resize(std::size_t{matrix_.cells} * matrix_.cells);
  matrix_.bytes.resize(matrix_.messages.size());
}

/// nullptr: no known function.
Mpi::Calls* Mpi::calls(std::uint32_t rank, RegionRef region) {
  if (rank >= calls_.size() || region >= function_of_.size() || function_of_[region] == undefined_ref) return nullptr;
  auto& of_rank = calls_[rank];
  if (of_rank.size() <= function_of_[region]) of_rank.resize(function_of_[region] + 1);
  return &of_rank[function_of_[region]];
}

void Mpi::leave(LocationRef location, Task&, const Frame& frame, std::uint64_t time) {
  if (replay_.classes()[frame.region].construct != Directive::mpi) return;
  const std::uint32_t rank = world_.rank_of(location);
  Calls* const of = calls(rank, frame.region);
  if (of == nullptr) return;
  const std::uint64_t ns = time - frame.enter;
  ++of->count;
  of->total += ns;
  of->longest = std::max(of->longest, ns);
  MpiRankRow& row = ranks_[rank];
  const RegionRole role = definitions_.regions[frame.region].role;
  row.total += ns;
  row.messages += role == RegionRole::point2point ? ns : 0;
  row.collectives += is_collective(role) ? ns : 0;
  const std::string& name = functions_[function_of_[frame.region]];
  if (name == "MPI_Init" || name == "MPI_Init_thread") main_[rank] = location;
  const bool communicates = role == RegionRole::point2point || role == RegionRole::rma || is_collective(role);
  if (!communicates || main_[rank] == undefined_ref || main_[rank] == location) return;
  if (other_calls_++ == 0) other_call_ = {location, frame.region};
}

void Mpi::sent(std::uint32_t from, std::uint32_t to, RegionRef region, std::uint64_t bytes) {
  ++messages_;
  bytes_ += bytes;
  ++ranks_[from].sends;
  ranks_[from].sent += bytes;
  if (Calls* of = calls(from, region)) of->sent += bytes;
  if (to >= world_.ranks()) return;
  const std::size_t cell = std::size_t{from / matrix_.ranks_per_cell} * matrix_.cells + to / matrix_.ranks_per_cell;
  ++matrix_.messages[cell];
  matrix_.bytes[cell] += bytes;
}

void Mpi::received(std::uint32_t rank, RegionRef region, std::uint64_t bytes) {
  ++ranks_[rank].receives;
  ranks_[rank].received += bytes;
  if (Calls* of = calls(rank, region)) of->received += bytes;
}

void Mpi::collective(std::uint32_t rank, RegionRef region, std::uint64_t sent, std::uint64_t received) {
  Calls* const of = calls(rank, region);
  if (of == nullptr) return;
  of->sent += sent;
  of->received += received;
}

void Mpi::waited(const MpiWaited& one) {
  ranks_[one.rank].waited[static_cast<std::size_t>(one.kind)] += one.ns;
  ranks_[one.cause_rank].caused += one.ns;
  if (Calls* of = calls(one.rank, one.region)) of->waiting += one.ns;
  Wait& wait = waits_[{one.kind, one.region, one.cause}];
  wait.ns += one.ns;
  ++wait.count;
  wait.by_rank[one.rank] += one.ns;
  wait.by_cause[one.cause_rank] += one.ns;
  if (one.ns > wait.longest.ns) wait.longest = one;
}

void Mpi::fill_ranks(MpiReport& to) const {
  to.calls.resize(functions_.size());
  to.rank_rows = ranks_;
  for (std::uint32_t rank = 0; rank < calls_.size(); ++rank) {
    for (std::size_t function = 0; function < calls_[rank].size(); ++function) {
      const Calls& of = calls_[rank][function];
      if (of.count == 0) continue;
      MpiCallRow& all = to.calls[function];
      all.count += of.count;
      all.total += of.total;
      all.longest = std::max(all.longest, of.longest);
      all.waiting += of.waiting;
      all.sent += of.sent;
      all.received += of.received;
      if (++all.ranks == 1 || of.total > all.most) all.most = of.total, all.longest_rank = rank;
      MpiCallRow own{functions_[function], of.count, of.total, of.longest, of.waiting, of.sent, of.received};
      own.ranks = 1;
      own.longest_rank = rank;
      own.most = of.total;
      to.rank_rows[rank].calls.push_back(std::move(own));
    }
    by_time(to.rank_rows[rank].calls);
    for (std::size_t kind = 0; kind < mpi_waits; ++kind) to.waited[kind] += ranks_[rank].waited[kind];
  }
  for (std::size_t function = 0; function < functions_.size(); ++function)
    to.calls[function].name = functions_[function];
  std::erase_if(to.calls, [](const MpiCallRow& row) { return row.count == 0; });
  std::erase_if(to.rank_rows, [left_out = groups_left_out(definitions_)](const MpiRankRow& row) {
    return row.group < left_out.size() && left_out[row.group];
  });
  by_time(to.calls);
}

void Mpi::fill_waits(MpiReport& to) const {
  const auto place = [&](RegionRef region, std::string& name, std::string& file, std::uint32_t& line) {
    if (region >= definitions_.regions.size()) return;
    name = definitions_.regions[region].name;
    file = definitions_.regions[region].source_file;
    line = definitions_.regions[region].begin_line;
  };
  for (const auto& [key, wait] : waits_) {
    MpiWaitRow row;
    std::tie(row.kind, row.region, row.cause) = key;
    place(row.region, row.name, row.file, row.line);
    place(row.cause, row.cause_name, row.cause_file, row.cause_line);
    row.ns = wait.ns;
    row.count = wait.count;
    row.longest = wait.longest.ns;
    row.longest_at = wait.longest.from;
    row.longest_rank = wait.longest.rank;
    row.longest_cause = wait.longest.cause_rank;
    std::tie(row.most_rank, row.most_ns) = most_of(wait.by_rank);
    std::tie(row.most_cause, row.most_cause_ns) = most_of(wait.by_cause);
    to.waits.push_back(std::move(row));
  }
  std::stable_sort(to.waits.begin(), to.waits.end(),
                   [](const MpiWaitRow& a, const MpiWaitRow& b) { return a.ns > b.ns; });
}

void Mpi::fill(Report& report) const {
  MpiReport& to = report.mpi;
  to.ranks = world_.ranks();
  to.worlds = world_.worlds();
  to.labels = world_.labels(definitions_);
  if (to.ranks == 0) return;
  to.other_calls = other_calls_;
  std::tie(to.other_thread, to.other_region) = other_call_;
  to.messages = messages_;
  to.bytes = bytes_;
  to.matrix = matrix_;
  fill_ranks(to);
  fill_waits(to);
}

}  // namespace tracer::report
