// SPDX-License-Identifier: BSD-3-Clause
// The cells of the account at the end of the trace: those of a place add up to it.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "tracer/property_names.hpp"
#include "tracer/report/measures/account.hpp"
#include "tracer/report/measures/ratios.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {
namespace {

/// Loading a process and its libraries: no program can help it.
constexpr std::uint64_t start_of_a_process = 30'000'000;

std::uint64_t number_of(const std::vector<Property>& properties, std::string_view name) {
  return std::strtoull(property_value(properties, name).c_str(), nullptr, 10);
}

/// With the tool's own start, and as much longer as the first thread was without a processor until then: of what the
/// program itself computed until then, its share.
std::uint64_t start_of(const std::vector<Property>& facts, std::uint64_t tool) {
  const std::uint64_t delay = number_of(facts, properties::run_delay_at_start),
                      ran = number_of(facts, properties::run_processor_at_start);
  const double mine =
      ran <= start_of_a_process ? 1 : static_cast<double>(start_of_a_process) / static_cast<double>(ran);
  return start_of_a_process + tool + static_cast<std::uint64_t>(static_cast<double>(delay) * mine);
}

std::uint64_t scaled(std::uint64_t ns, double by) {
  return static_cast<std::uint64_t>(static_cast<double>(ns) * by);
}

}  // namespace

std::size_t Account::split(std::size_t cell, std::uint64_t taken) {
  AccountRow part = details[cell];
  part.ns = std::min(taken, part.ns);
  details[cell].ns -= part.ns;
  details.push_back(part);
  return details.size() - 1;
}

/// What a place has more than its cells becomes one of its own; where that is next to nothing, a part of the largest.
void Account::complete(Place place) {
  constexpr std::uint64_t next_to_nothing = 1000;  // of a place, the part of it
  std::uint64_t sum = 0;
  AccountRow* largest = nullptr;
  for (AccountRow& row : details) {
    if (row.place != place) continue;
    sum += row.ns;
    if (largest == nullptr || row.ns > largest->ns) largest = &row;
  }
  if (sum > at(place)) {
    const double by = share(at(place), sum);
    sum = 0;
    for (AccountRow& row : details)
      if (row.place == place) sum += row.ns = scaled(row.ns, by);
  }
  const std::uint64_t rest = at(place) - std::min(at(place), sum);
  if (rest == 0) return;
  if (largest != nullptr && rest <= at(place) / next_to_nothing + 1000) {
    largest->ns += rest;
    return;
  }
  AccountRow row;
  row.place = row.of = place;
  row.ns = rest;
  details.push_back(row);
}

/// A process' own start, the tool's, and what is behind its last event: of one whose end is not in the trace that is
/// unknown, and not in its serial time.
Accountant::Outside Accountant::outside_of(const Process& process) const {
  const bool has_group = process.group < definitions_.groups_of_locations.size() && processes_.size() > 1;
  return {start_of(has_group ? definitions_.groups_of_locations[process.group].properties : definitions_.properties,
                   counter_of(definitions_, "TOOL_START_NS") / std::max<std::size_t>(1, processes_.size())),
          process.facts.is_end_unknown() ? 0 : process.facts.end - std::min(process.facts.end, process.last)};
}

/// `ns` by the parallel regions that it lies between, apart from what is no program's.
void Accountant::add_serial(Place place, const Process& process, std::uint64_t ns, const Outside& outside) {
  std::uint64_t all = 0, rest = ns;
  for (const auto& [ends, gap] : process.gaps) all += gap.ns;
  for (const auto& [ends, gap] : process.gaps) {
    std::uint64_t part = std::min(rest, scaled(ns, share(gap.ns, all)));
    rest -= part;
    const std::uint64_t not_own = std::min(gap.ns, outside.of(ends.first, ends.second));
    if (not_own != 0) {
      const std::uint64_t taken = std::min(part, scaled(part, share(not_own, gap.ns)));
      AccountRow& row = detail(place, Place::tool, undefined_ref, undefined_ref, undefined_ref);
      row.ns += taken;
      ++row.count;
      part -= taken;
    }
    AccountRow& row = detail(place, ends.first, ends.second, ends.first != undefined_ref ? ends.first : ends.second);
    row.ns += part;
    row.count += gap.count;
    const std::uint64_t longest = gap.longest - std::min(gap.longest, not_own);
    if (longest > row.longest) row.longest = longest, row.longest_at = gap.longest_at;
  }
}

/// What threads idled beside regions of fewer, by those regions.
void Accountant::add_unused(const Process& process, std::uint64_t threads, std::uint64_t ns) {
  std::uint64_t all = 0;
  const auto beside = [&](const Beside& one) { return threads * one.wall - std::min(threads * one.wall, one.threads); };
  for (const auto& [region, one] : process.beside) all += beside(one);
  for (const auto& [region, one] : process.beside) {
    const std::uint64_t part = scaled(ns, share(beside(one), all));
    if (part == 0) continue;
    AccountRow& row = detail(Place::unused, region, undefined_ref, region);
    row.ns += part;
    row.count += one.count;
    row.threads = std::max(row.threads, one.largest);
  }
}

/// The places without cells of their own until now, and those that gave time away since.
void Accountant::complete_cells(Account& account) {
  for (std::size_t region = 0; region < work_by_region_.size(); ++region) {
    if (work_by_region_[region] == 0) continue;
    const RegionRef parallel = region == 0 ? undefined_ref : static_cast<RegionRef>(region - 1);
    detail(Place::work, parallel, undefined_ref, parallel).ns = work_by_region_[region];
  }
  for (std::size_t p = 0; p < places; ++p) {
    if (delayed_from_[p] == 0) continue;
    AccountRow row;
    row.place = Place::descheduled;
    row.of = static_cast<Place>(p);
    row.ns = delayed_from_[p];
    account.details.push_back(row);
  }
  for (auto& [key, row] : details_) {
    if (row.ns == 0 || helper_regions_.contains(row.parallel)) continue;
    const auto p = static_cast<std::size_t>(row.place);
    row.ns = scaled(row.ns, std::min(1.0, undelayed_[p] == 0 ? 1.0 : share(account.ns[p], undelayed_[p])));
    account.details.push_back(row);
  }
  for (std::size_t p = 0; p < places; ++p) account.complete(static_cast<Place>(p));
  account.sort();
}

void Account::sort() {
  std::erase_if(details, [](const AccountRow& row) { return row.ns == 0; });
  std::stable_sort(details.begin(), details.end(),
                   [](const AccountRow& a, const AccountRow& b) { return a.ns > b.ns; });
}

/// Inside MPI, and beside it: what each wait state has of that, by the call that waits and the one that it waits for.
void add_wait_states(Account& account, const std::vector<MpiWaitRow>& waits) {
  std::map<RegionRef, std::vector<std::size_t>> calls, idle;
  std::map<RegionRef, std::uint64_t> in_calls;
  for (std::size_t i = 0; i < account.details.size(); ++i) {
    const AccountRow& row = account.details[i];
    if (row.place == Place::mpi) calls[row.region].push_back(i), in_calls[row.region] += row.ns;
    if (row.place == Place::mpi_idle) idle[row.region].push_back(i);
  }
  std::map<std::size_t, std::uint64_t> whole;  // of cells, before anything was taken
  for (std::size_t i = 0; i < account.details.size(); ++i) whole[i] = account.details[i].ns;
  for (const MpiWaitRow& wait : waits) {
    const double part = std::min(1.0, share(wait.ns, in_calls[wait.region]));
    for (const auto* cells : {&calls[wait.region], &idle[wait.region]}) {
      for (const std::size_t cell : *cells) {
        AccountRow& taken = account.details[account.split(cell, scaled(whole[cell], part))];
        taken.wait = wait.kind;
        taken.cause = wait.cause;
        taken.count = wait.count;
        taken.longest = wait.longest;
        taken.longest_at = wait.longest_at;
      }
    }
  }
  account.sort();
}

}  // namespace tracer::report
