// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions that are started so often that starting them takes the time: those of one function, and those that
// follow each other in one loop, are one finding.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracer/base/config.hpp"
#include "tracer/base/disjoint_sets.hpp"
#include "tracer/base/text.hpp"
#include "tracer/report/findings/judge.hpp"

namespace tracer::report {
namespace {

using Rows = std::vector<const ParallelRow*>;

/// Few of one run follow each other for long.
bool is_brief(const AccountRow& gap) {
  return gap.count != 0 && gap.ns / gap.count < short_region;
}

}  // namespace

/// A region, or what is between its barriers. Where others have the processors it lasts longer than it would: then by
/// the work of the thread that has most.
bool Judge::is_short(const ParallelRow& row, std::uint64_t times) const {
  return row.wall / times < short_region || (doubtful_ && row.balance.max / times < short_region / 2);
}

/// Leaves of the region's cells what threads wait for those that have more to do over all executions, where that is at
/// least half of their waiting: that is no cost of starting or meeting. What noise makes one of them wait for in one
/// execution it makes another wait for in the next. Where tasks are not recorded all of it may be their execution.
bool Judge::without_load(const ParallelRow& region, Cells& mine) const {
  const auto waits = [this](std::size_t cell) { return account_.details[cell].is(Place::imbalance); };
  std::uint64_t waited = 0;
  for (const std::size_t cell : mine)
    if (waits(cell)) waited += account_.details[cell].ns;
  if (waited == 0) return false;
  if (!lacks_.lacks(record_tasks) && (is_perturbed() || 2 * region.uneven < waited)) return false;
  std::erase_if(mine, waits);
  return true;
}

/// Groups of short regions, those that take longest first.
std::vector<Rows> Judge::groups_of_short_regions() const {
  Rows rows;
  std::map<RegionRef, std::uint32_t> index;
  for (const ParallelRow& row : report_.parallels) {
    if (row.count == 0 || row.threads < 2 || !is_short(row, row.count)) continue;
    index[row.region] = static_cast<std::uint32_t>(rows.size());
    rows.push_back(&row);
  }
  DisjointSets sets{rows.size()};
  std::map<std::pair<std::string, std::string>, std::size_t> functions;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i]->region >= definitions_.regions.size()) continue;
    const Region& region = definitions_.regions[rows[i]->region];
    if (region.description.empty()) continue;
    const auto [known, is_new] = functions.try_emplace({region.source_file, region.description}, i);
    if (!is_new) sets.join(static_cast<std::uint32_t>(known->second), static_cast<std::uint32_t>(i));
  }
  for (const AccountRow& gap : account_.details) {
    if (gap.place != Place::serial || gap.region == gap.cause || !(doubtful_ || is_brief(gap))) continue;
    const auto before = index.find(gap.region), behind = index.find(gap.cause);
    if (before == index.end() || behind == index.end()) continue;
    const std::uint64_t fewer = std::min(rows[before->second]->count, rows[behind->second]->count);
    if (gap.count >= often / 2 && 2 * gap.count >= fewer) sets.join(before->second, behind->second);
  }
  std::map<std::uint32_t, Rows> by_set;
  for (std::size_t i = 0; i < rows.size(); ++i) by_set[sets.root_of(static_cast<std::uint32_t>(i))].push_back(rows[i]);
  std::vector<Rows> groups;
  for (auto& [set, group] : by_set) {
    std::stable_sort(group.begin(), group.end(), [](const auto* a, const auto* b) { return a->wall > b->wall; });
    groups.push_back(std::move(group));
  }
  return groups;
}

/// "14 regions of EvalEOSForElems", "2 regions that follow each other, of dot and axpy".
std::string Judge::names_of(const Rows& group) const {
  constexpr std::size_t most = 4;
  if (group.size() == 1) return name(group.front()->region);
  std::vector<std::string> functions;
  for (const ParallelRow* row : group) {
    const std::string function =
        row->region < definitions_.regions.size() ? plain_function(definitions_.regions[row->region].description) : "";
    if (!function.empty() && std::find(functions.begin(), functions.end(), function) == functions.end())
      functions.push_back(function);
  }
  std::string text = format_count(group.size()) + " regions";
  if (functions.size() == 1) return text + " called from " + functions.front();
  text += " that follow each other";
  for (std::size_t i = 0; i < std::min(most, functions.size()); ++i)
    text += (i == 0 ? ", in " : i + 1 == functions.size() ? " and " : ", ") + functions[i];
  if (functions.size() > most) text += " and " + format_count(functions.size() - most) + " more functions";
  return text;
}

/// The first of one function's, where they are to be fused; of several functions' the one that takes longest.
RegionRef Judge::first_of(const Rows& group) const {
  const auto place = [this](const ParallelRow* row) -> const Region* {
    return row->region < definitions_.regions.size() ? &definitions_.regions[row->region] : nullptr;
  };
  const Region* const longest = place(group.front());
  RegionRef first = group.front()->region;
  for (const ParallelRow* row : group) {
    const Region* const region = place(row);
    if (region == nullptr || longest == nullptr || region->source_file != longest->source_file ||
        region->description != longest->description)
      return group.front()->region;
    if (region->begin_line < definitions_.regions[first].begin_line) first = row->region;
  }
  return first;
}

/// Of each group the cells of what its regions cost by being short, and how long their threads work.
std::vector<Judge::ShortRegions> Judge::costs_of(const std::vector<Rows>& groups) const {
  constexpr std::size_t no_group = ~std::size_t{0};
  std::unordered_map<RegionRef, std::size_t> numbers;
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const ParallelRow* row : groups[i]) numbers[row->region] = i;
  const auto group_with = [&](RegionRef region) {
    const auto found = numbers.find(region);
    return found == numbers.end() ? no_group : found->second;
  };
  std::vector<ShortRegions> costs(groups.size());
  for (const AccountRow& cell : account_.details) {
    if (cell.place != Place::work) continue;
    if (const std::size_t group = group_with(cell.parallel); group != no_group) costs[group].work += cell.ns;
  }
  std::unordered_map<RegionRef, Cells> by_parallel =
      cells_by_parallel([](const AccountRow& cell) { return cell.is(Place::team) || cell.is(Place::imbalance); });
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const ParallelRow* row : groups[i]) {
      Cells& mine = by_parallel[row->region];
      if (without_load(*row, mine)) costs[i].has_load = true;
      costs[i].cells.insert(costs[i].cells.end(), mine.begin(), mine.end());
    }
  for (const std::size_t cell : cells_of(Place::serial_idle)) {
    const AccountRow& gap = account_.details[cell];
    const std::size_t group = is_brief(gap) ? group_with(gap.region) : no_group;
    if (group != no_group && group == group_with(gap.cause)) costs[group].cells.push_back(cell);
  }
  return costs;
}

/// Start and join of regions, and what their threads wait for each other whoever is last, against what they do.
void Judge::short_regions() {
  const std::vector<Rows> groups = groups_of_short_regions();
  const std::vector<ShortRegions> costs = costs_of(groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Rows& group = groups[i];
    const auto& [mine, work, has_load] = costs[i];
    std::uint64_t count = 0, wall = 0;
    for (const ParallelRow* row : group) {
      count += row->count;
      wall += row->wall;
    }
    if (count < often || mine.empty()) continue;
    const AccountRow all = summary(mine);
    Finding finding = at(first_of(group));
    finding.at = all.longest_at;
    finding.text =
        names_of(group) +
        formatted(group.size() == 1 ? " runs %s times for %s each" : " run %s times, for %s each",
                  format_count(count).c_str(), time(wall / count).c_str()) +
        formatted(has_load ? ": starting the team, joining it and idling until the next one take %s, the work %s."
                           : ": starting the team, joining it, the barriers and idling until the next one take %s, the "
                             "work %s.",
                  time(all.ns).c_str(), time(work).c_str());
    finding.advice =
        group.size() == 1
            ? "Keep one region open around the loop that starts it (with barriers where needed), make the region "
              "larger, or leave small cases serial by an if() clause."
            : "Fuse them: one region around all of them, and around the loop that starts them (worksharing loops with "
              "nowait where what follows does not need the result), or leave small cases serial by an if() clause.";
    sure(finding, "high");
    add(std::move(finding), "short-regions", mine);
  }
}

}  // namespace tracer::report
