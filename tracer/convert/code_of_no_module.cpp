// SPDX-License-Identifier: BSD-3-Clause
// See code_of_no_module.hpp.
#include "tracer/convert/code_of_no_module.hpp"

#include <cstdlib>
#include <utility>
#include <vector>

#include "tracer/property_names.hpp"

namespace tracer {

CodeOfNoModule::CodeOfNoModule(const Journal& journal) {
  const auto found = journal.facts.find(properties::fact(properties::run_code_of_no_module));
  is_known_ = found != journal.facts.end() && !found->second.ends_with("...");
  if (!is_known_) return;
  std::vector<AddressRange> all;
  const char* at = found->second.c_str();
  for (char* rest = nullptr;; at = rest + 1) {
    const std::uint64_t begin = std::strtoull(at, &rest, 16);
    if (*rest != '-') break;
    const std::uint64_t end = std::strtoull(rest + 1, &rest, 16);
    all.push_back({begin, end});
    if (*rest != ',') break;
  }
  ranges_ = AddressRanges{std::move(all)};
}

bool CodeOfNoModule::may_have(std::uint64_t address) const {
  if (!is_known_) return address >= 0x10000 && address >> 48 == 0;
  return ranges_.contains(address);
}

}  // namespace tracer
