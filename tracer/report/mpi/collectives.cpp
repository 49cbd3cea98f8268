// SPDX-License-Identifier: BSD-3-Clause
// See collectives.hpp.
#include "tracer/report/mpi/collectives.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracer/mpi_functions.hpp"
#include "tracer/value_table.hpp"

namespace tracer::report {
namespace {

constexpr std::uint16_t no_operation = 0xffff;  ///< whose members do not wait for each other

MpiShape shape_of(std::uint16_t operation) {
  using enum MpiOperation;
  static constexpr ValueTable<MpiOperation, MpiShape, 17> shapes{MpiShape::none,
                                                                 {{barrier, MpiShape::barrier},
                                                                  {bcast, MpiShape::one_to_all},
                                                                  {scatter, MpiShape::one_to_all},
                                                                  {scatterv, MpiShape::one_to_all},
                                                                  {gather, MpiShape::all_to_one},
                                                                  {gatherv, MpiShape::all_to_one},
                                                                  {reduce, MpiShape::all_to_one},
                                                                  {allgather, MpiShape::all_to_all},
                                                                  {allgatherv, MpiShape::all_to_all},
                                                                  {alltoall, MpiShape::all_to_all},
                                                                  {alltoallv, MpiShape::all_to_all},
                                                                  {alltoallw, MpiShape::all_to_all},
                                                                  {allreduce, MpiShape::all_to_all},
                                                                  {reduce_scatter, MpiShape::all_to_all},
                                                                  {reduce_scatter_block, MpiShape::all_to_all},
                                                                  {scan, MpiShape::scan},
                                                                  {exscan, MpiShape::scan}}};
  return shapes[static_cast<MpiOperation>(operation)];
}

/// As their ranks stand in the communicator.
void sort_by_place(std::vector<MpiPart>& parts, std::span<const std::uint32_t> members) {
  std::unordered_map<std::uint32_t, std::size_t> places;
  for (std::size_t place = 0; place < members.size(); ++place) places.emplace(members[place], place);
  const auto place_of = [&](const MpiPart& part) {
    const auto found = places.find(part.rank);
    return found == places.end() ? members.size() : found->second;
  };
  std::sort(parts.begin(), parts.end(), [&](const MpiPart& a, const MpiPart& b) { return place_of(a) < place_of(b); });
}

}  // namespace

MpiCollectives::MpiCollectives(const Definitions& definitions, const Replay& replay, MpiSink& sink)
    : replay_{replay}, definitions_{definitions}, sink_{sink}, world_{definitions} {}

void MpiCollectives::other_event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  const bool is_ours = event.type == EventType::mpi_collective_end || event.type == EventType::mpi_collective_request ||
                       event.type == EventType::mpi_collective_complete ||
                       event.type == EventType::mpi_request_cancelled;
  const std::uint32_t rank = is_ours ? world_.rank_of(location) : undefined_ref;
  if (rank == undefined_ref) return;
  const Frame* call = mpi_call(replay_, location);
  if (event.type == EventType::mpi_collective_request) {
    if (call == nullptr) return;
    auto& begun = begun_[rank];
    if (begun.size() == most_open) begun.pop_front();
    begun.emplace_back().request = event.a;
    begun.back().part = {.rank = rank, .region = call->region, .arrival = call->enter};
    return;
  }
  if (event.type == EventType::mpi_request_cancelled) {
    const auto open = begun_.find(rank);
    if (open != begun_.end()) std::erase_if(open->second, [&](const Begun& b) { return b.request == event.a; });
    return;
  }
  if (attributes.empty() || !attributes.front().is_payload()) return;
  complete(rank, call, event, attributes.front().value, attributes.front().number());
}

void MpiCollectives::complete(std::uint32_t rank, const Frame* call, const Event& event, std::uint64_t request,
                              std::uint32_t root) {
  const RegionRef region = call != nullptr ? call->region : undefined_ref;
  const std::uint64_t enter = call != nullptr ? call->enter : event.time;
  sink_.collective(rank, region, event.a, event.b);
  if (event.type == EventType::mpi_collective_end) {
    const MpiPart part{rank, region, enter, region, enter, event.time};
    return add(event.ref, true, {is_among_neighbours(region) ? no_operation : event.sub, root}, part);
  }
  auto& begun = begun_[rank];
  const auto found = std::find_if(begun.begin(), begun.end(), [&](const Begun& b) { return b.request == request; });
  if (found == begun.end()) return;
  found->comm = event.ref;
  found->what = {is_among_neighbours(found->part.region) ? no_operation : event.sub, root};
  found->over = true;
  found->part.wait_region = region;
  found->part.wait_from = std::max(enter, found->part.arrival);
  found->part.wait_to = event.time;
  while (!begun.empty() && begun.front().over) {
    const Begun& first = begun.front();
    add(first.comm, false, first.what, first.part);
    begun.pop_front();
  }
}

bool MpiCollectives::is_among_neighbours(RegionRef region) const {
  if (region >= definitions_.regions.size()) return false;
  const std::string& name = definitions_.regions[region].canonical;
  return name.starts_with("MPI_Neighbor_") || name.starts_with("MPI_Ineighbor_");
}

/// All ranks end MPI, and all of them are in that at a time.
bool MpiCollectives::is_end_of_mpi(const std::vector<MpiPart>& parts) const {
  return are_together(parts) && std::all_of(parts.begin(), parts.end(), [&](const MpiPart& part) {
           return part.region < definitions_.regions.size() &&
                  definitions_.regions[part.region].canonical == "MPI_Finalize";
         });
}

void MpiCollectives::add(CommRef comm, bool blocking, const Operation& what, const MpiPart& part) {
  if (world_.members(comm).size() < 2) return;
  MpiRounds<Instance>& series = series_[std::uint64_t{comm} * 2 + (blocking ? 1 : 0)];
  if (series.members == 0) series.members = world_.members_with_trace(comm);
  Instance* const instance = series.next(part.rank, what);
  if (instance == nullptr) return;
  instance->parts.push_back(part);
  if (series.is_whole(*instance)) {
    look_at(comm, *instance);
    instance->done = true;
    instance->parts = {};
    ++complete_;
  }
  incomplete_ += series.forget(most_open);
}

void MpiCollectives::wait(MpiWait kind, const MpiPart& mine, const MpiPart& other) {
  report_wait(sink_, kind, {mine.rank, mine.wait_region, mine.wait_from, mine.wait_to},
              {other.rank, other.region, other.arrival, other.wait_to});
}

/// Whom a rank has waited for, of those in order of their arrival: who came after it had left held up nobody.
/// Operations with counts of each rank wait for no one from whom nothing comes.
const MpiPart& MpiCollectives::last_for(const MpiPart& mine, const std::vector<MpiPart>& by_arrival) {
  const auto after = std::upper_bound(by_arrival.begin(), by_arrival.end(), mine.wait_to + mpi_clock_error,
                                      [](std::uint64_t left, const MpiPart& part) { return left < part.arrival; });
  return after == by_arrival.begin() ? mine : *std::prev(after);
}

void MpiCollectives::look_at(CommRef comm, Instance& instance) {
  MpiShape shape = shape_of(instance.what.kind);
  if (shape == MpiShape::none && is_end_of_mpi(instance.parts)) shape = MpiShape::barrier;
  const auto members = world_.members(comm);
  if (shape == MpiShape::scan) sort_by_place(instance.parts, members);
  const auto later = [](const MpiPart& a, const MpiPart& b) { return a.arrival < b.arrival; };
  const auto& parts = instance.parts;
  const std::uint32_t root_rank = instance.what.root < members.size() ? members[instance.what.root] : undefined_ref;
  const auto root =
      std::find_if(parts.begin(), parts.end(), [&](const MpiPart& part) { return part.rank == root_rank; });
  sink_.meeting({shape, static_cast<std::size_t>(root - parts.begin()), parts});
  switch (shape) {
    case MpiShape::barrier:
    case MpiShape::all_to_all: {
      std::sort(instance.parts.begin(), instance.parts.end(), later);
      for (const MpiPart& part : parts)
        wait(shape == MpiShape::barrier ? MpiWait::barrier : MpiWait::nxn, part, last_for(part, parts));
      return;
    }
    case MpiShape::all_to_one: {
      if (root == parts.end()) return;
      const MpiPart mine = *root;
      std::sort(instance.parts.begin(), instance.parts.end(), later);
      return wait(MpiWait::early_reduce, mine, last_for(mine, parts));
    }
    case MpiShape::one_to_all:
      if (root == parts.end()) return;
      for (const MpiPart& part : parts) wait(MpiWait::late_broadcast, part, *root);
      return;
    case MpiShape::scan: {
      std::size_t last = 0;
      for (std::size_t i = 1; i < parts.size(); ++i) {
        if (parts[i].arrival > parts[last].arrival) last = i;
        wait(MpiWait::early_scan, parts[i], parts[last]);
      }
      return;
    }
    case MpiShape::none:
      return;
  }
}

std::uint64_t MpiCollectives::out_of_step() const {
  std::set<std::uint64_t> comms;
  for (const auto& [key, series] : series_)
    if (series.is_out_of_step()) comms.insert(key / 2);
  return comms.size();
}

void MpiCollectives::finished(std::uint64_t) {
  for (const auto& [key, series] : series_) incomplete_ += series.lacking();
}

}  // namespace tracer::report
