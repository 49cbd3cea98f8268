// SPDX-License-Identifier: BSD-3-Clause
// See names.hpp: constructs that moved, and constructs that have another's name.
#include "tracer/report/diff/names.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "tracer/base/outlined_names.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cut/filter.hpp"

namespace tracer::report {
namespace {

struct Spot {
  std::string name, key, file;
  std::uint32_t line = 0;  ///< 0: unknown
};
struct SpotOnBothSides {
  Spot was, is;
};

/// What of a side may be the other's: constructs of a kind in a function, in the order of their lines, or of their
/// addresses where there are none.
using Kinds = std::map<std::string, std::map<std::uint64_t, Spot>>;

/// A name has no directory.
std::set<std::string> shared_names(const std::vector<Report>& before, const std::vector<Report>& after) {
  std::set<std::string> shared;
  for (const auto* reports : {&before, &after})
    for (const Report& report : *reports) {
      std::map<std::string_view, std::string_view> files;
      for (const RegionRow& row : report.regions)
        if (files.try_emplace(row.name, row.file).first->second != row.file) shared.insert(row.name);
    }
  return shared;
}

/// Regions of one name are one construct, those of a shared name if they are in one function.
std::string key_of(const RegionRow& row, const std::set<std::string>& shared) {
  return shared.contains(row.name) ? row.function + '\0' + row.name : row.name;
}

std::string without_directory(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string label_in_function(const RegionRow& row) {
  return row.label + '\n' + row.function;
}

/// Executables and libraries with constructs that have no line, by label and function.
std::map<std::string, std::set<std::string>> modules_by_label(const std::vector<Report>& reports) {
  std::map<std::string, std::set<std::string>> modules;
  for (const Report& report : reports)
    for (const RegionRow& row : report.regions)
      if (row.line == 0 && !row.function.empty()) modules[label_in_function(row)].insert(without_directory(row.file));
  return modules;
}

/// Labels in functions of one executable or library on each side: it may be called otherwise.
std::set<std::string> labels_in_one_module(const std::vector<Report>& before, const std::vector<Report>& after) {
  std::set<std::string> labels;
  const auto then = modules_by_label(before), now = modules_by_label(after);
  for (const auto& [label, modules] : then)
    if (const auto found = now.find(label); found != now.end() && modules.size() == 1 && found->second.size() == 1)
      labels.insert(label);
  return labels;
}

Kinds kinds_of(const std::vector<Report>& reports, const std::set<std::string>& shared,
               const std::set<std::string>& in_one_module) {
  Kinds kinds;
  for (const Report& report : reports)
    for (const RegionRow& row : report.regions) {
      if (row.function.empty()) continue;
      std::uint64_t order = row.line;
      const std::string label = label_in_function(row);
      std::string file = without_directory(row.file);
      if (row.line == 0) {
        const auto address = row.name.rfind("@0x");
        if (address == std::string::npos) continue;
        order = std::strtoull(row.name.c_str() + address + 1, nullptr, 16);
        if (in_one_module.contains(label)) file.clear();
      }
      kinds[label + '\n' + file].emplace(order, Spot{row.name, key_of(row, shared), row.file, row.line});
    }
  return kinds;
}

/// Of functions that have equally many of a kind, the constructs of the two sides in their order.
std::vector<SpotOnBothSides> pairs_of(const Kinds& before, const Kinds& after) {
  std::vector<SpotOnBothSides> pairs;
  for (const auto& [kind, places] : before) {
    const auto found = after.find(kind);
    if (found == after.end() || found->second.size() != places.size()) continue;
    auto other = found->second.begin();
    for (const auto& [order, was] : places) pairs.push_back({was, (other++)->second});
  }
  return pairs;
}

/// Above a construct that is where it was no line moved, nor from there to behind it: of two such lines each is a
/// construct, of which the runs executed one.
void remove_what_did_not_move(std::vector<SpotOnBothSides>& pairs) {
  std::map<std::pair<std::string, std::string>, std::uint32_t> last_unmoved;  // by file before and after
  for (const auto& [was, is] : pairs) {
    if (was.line != is.line) continue;
    std::uint32_t& last = last_unmoved[{was.file, is.file}];
    last = std::max(last, was.line);
  }
  std::erase_if(pairs, [&last_unmoved](const SpotOnBothSides& pair) {
    const auto last = last_unmoved.find({pair.was.file, pair.is.file});
    return last != last_unmoved.end() && pair.was.line != pair.is.line &&
           std::min(pair.was.line, pair.is.line) < last->second;
  });
}

/// Of constructs that have a line, by key.
std::map<std::string, std::set<std::string>> functions_by_key(const std::vector<Report>& reports,
                                                              const std::set<std::string>& shared) {
  std::map<std::string, std::set<std::string>> functions;
  for (const Report& report : reports)
    for (const RegionRow& row : report.regions) {
      if (row.line == 0 || row.function.empty()) continue;
      for (const std::string& function : functions_of(row.function))
        functions[key_of(row, shared)].insert(plain_function(without_clones(function)));  // older archives have them
    }
  return functions;
}

}  // namespace

ConstructNames::ConstructNames(const std::vector<Report>& before, const std::vector<Report>& after)
    : shared_{shared_names(before, after)} {
  const std::set<std::string> in_one_module = labels_in_one_module(before, after);
  std::vector<SpotOnBothSides> pairs =
      pairs_of(kinds_of(before, shared_, in_one_module), kinds_of(after, shared_, in_one_module));
  remove_what_did_not_move(pairs);
  for (const auto& [was, is] : pairs) {
    Row& row = after_[was.key] = {is.key, is.name, "", 0};
    if (is.name != was.name) row.was = was.name, row.was_in_line = was.line;
    taken_.insert(is.key);
  }
  // A line is another function's, where lines were moved.
  const auto functions_before = functions_by_key(before, shared_), functions_after = functions_by_key(after, shared_);
  for (const auto& [key, functions] : functions_before) {
    const auto found = functions_after.find(key);
    if (found == functions_after.end()) continue;
    const std::set<std::string>& others = found->second;
    if (std::none_of(functions.begin(), functions.end(), [&others](const auto& one) { return others.contains(one); }))
      taken_.insert(key);
  }
}

ConstructNames::Row ConstructNames::row_of(const RegionRow& region, bool is_before) const {
  const std::string own = key_of(region, shared_);
  if (!is_before) return {own, region.name, "", 0};
  if (const auto found = after_.find(own); found != after_.end()) return found->second;
  if (!taken_.contains(own)) return {own, region.name, "", 0};
  return {own + " (before)", region.name + " (before)", region.name, 0};
}

}  // namespace tracer::report
