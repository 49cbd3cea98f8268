// SPDX-License-Identifier: BSD-3-Clause
// See names.hpp: constructs that moved, and constructs that have another's name.
#include "tracer/report/diff/names.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "tracer/base/text.hpp"
#include "tracer/cut/filter.hpp"

namespace tracer::report {
namespace {

struct Spot {
  std::string name, key;
  std::uint32_t line = 0;  ///< 0: unknown
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

Kinds kinds_of(const std::vector<Report>& reports, const std::set<std::string>& shared) {
  Kinds kinds;
  for (const Report& report : reports)
    for (const RegionRow& row : report.regions) {
      if (row.function.empty()) continue;
      std::uint64_t order = row.line;
      std::string file = row.file.substr(row.file.find_last_of('/') + 1);
      if (row.line == 0) {
        const auto address = row.name.rfind("@0x");
        if (address == std::string::npos) continue;
        order = std::strtoull(row.name.c_str() + address + 1, nullptr, 16);
        file.clear();  // of the program, which may be called otherwise
      }
      kinds[row.label + '\n' + row.function + '\n' + file].emplace(order,
                                                                   Spot{row.name, key_of(row, shared), row.line});
    }
  return kinds;
}

/// Of constructs that have a line, by key.
std::map<std::string, std::set<std::string>> functions_by_key(const std::vector<Report>& reports,
                                                              const std::set<std::string>& shared) {
  std::map<std::string, std::set<std::string>> functions;
  for (const Report& report : reports)
    for (const RegionRow& row : report.regions) {
      if (row.line == 0 || row.function.empty()) continue;
      for (const std::string& function : functions_of(row.function))
        functions[key_of(row, shared)].insert(plain_function(function));
    }
  return functions;
}

}  // namespace

ConstructNames::ConstructNames(const std::vector<Report>& before, const std::vector<Report>& after)
    : shared_{shared_names(before, after)} {
  const Kinds then = kinds_of(before, shared_), now = kinds_of(after, shared_);
  for (const auto& [kind, places] : then) {
    const auto found = now.find(kind);
    if (found == now.end() || found->second.size() != places.size()) continue;
    auto other = found->second.begin();
    for (const auto& [order, was] : places) {
      const Spot& is = (other++)->second;
      Row& row = after_[was.key] = {is.key, is.name, "", 0};
      if (is.name != was.name) row.was = was.name, row.was_in_line = was.line;
      taken_.insert(is.key);
    }
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
