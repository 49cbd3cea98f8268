// SPDX-License-Identifier: BSD-3-Clause
// The texts that events refer to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tracer::translate {

/// The definitions' strings, each once: there may be very many. Nobody else adds any while it lives.
class DefinedStrings {
 public:
  explicit DefinedStrings(std::vector<std::string>& strings) : strings_(strings) {
    for (std::size_t i = 0; i < strings.size(); ++i) refs_.emplace(strings[i], static_cast<std::uint32_t>(i));
  }
  std::uint32_t ref_of(const std::string& text) {
    const auto [ref, is_new] = refs_.emplace(text, static_cast<std::uint32_t>(strings_.size()));
    if (is_new) strings_.push_back(text);
    return ref->second;
  }

 private:
  std::vector<std::string>& strings_;
  std::unordered_map<std::string, std::uint32_t> refs_;
};

}  // namespace tracer::translate
