// SPDX-License-Identifier: BSD-3-Clause
// The journal's entries on code that compilers made at run time.
#pragma once

#include <cstdint>

#include "tracer/base/address_ranges.hpp"
#include "tracer/journal.hpp"

namespace tracer {

class CodeOfNoModule {
 public:
  explicit CodeOfNoModule(const Journal& journal);
  /// Of an address in no module. Of a program that was killed all but what can be no address is possible.
  bool may_have(std::uint64_t address) const;

 private:
  bool is_known_ = false;
  AddressRanges ranges_;
};

}  // namespace tracer
