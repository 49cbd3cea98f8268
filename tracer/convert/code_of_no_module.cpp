// SPDX-License-Identifier: BSD-3-Clause
// See code_of_no_module.hpp.
#include "tracer/convert/code_of_no_module.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "tracer/property_names.hpp"

namespace tracer {

CodeOfNoModule::CodeOfNoModule(const Journal& journal) {
  const auto found = journal.facts.find(properties::fact(properties::run_code_of_no_module));
  is_known_ = found != journal.facts.end() && !found->second.ends_with("...");
  if (!is_known_) return;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  const char* at = found->second.c_str();
  for (char* rest = nullptr;; at = rest + 1) {
    const std::uint64_t begin = std::strtoull(at, &rest, 16);
    if (*rest != '-') break;
    const std::uint64_t end = std::strtoull(rest + 1, &rest, 16);
    all.emplace_back(begin, end);
    if (*rest != ',') break;
  }
  std::sort(all.begin(), all.end());
  for (const auto& [begin, end] : all) {
    if (ranges_.empty() || begin > ranges_.back().second)
      ranges_.emplace_back(begin, end);
    else
      ranges_.back().second = std::max(ranges_.back().second, end);
  }
}

bool CodeOfNoModule::may_have(std::uint64_t address) const {
  if (!is_known_) return address >= 0x10000 && address >> 48 == 0;
  const auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                       [](std::uint64_t one, const auto& range) { return one < range.first; });
  return behind != ranges_.begin() && address < std::prev(behind)->second;
}

}  // namespace tracer
