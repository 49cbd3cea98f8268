// SPDX-License-Identifier: BSD-3-Clause
// Strings and their references: dense, in order of first use; 0 is "".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tracer::otf2 {

class StringTable {
 public:
  /// `fixed` keep their indices, whatever they repeat: events refer to them.
  explicit StringTable(const std::vector<std::string>& fixed) {
    for (const auto& text : fixed) index_.emplace(text, count_++);
    if (fixed.empty() || !fixed.front().empty()) index_.emplace("", count_++);
  }

  struct Interned {
    std::uint32_t ref;
    bool is_new;
  };
  Interned intern(const std::string& text) {
    const auto [found, is_new] = index_.emplace(text, count_);
    if (is_new) ++count_;
    return {found->second, is_new};
  }

  std::uint32_t size() const noexcept { return count_; }

 private:
  std::unordered_map<std::string, std::uint32_t> index_;
  std::uint32_t count_ = 0;
};

}  // namespace tracer::otf2
