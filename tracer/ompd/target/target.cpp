// SPDX-License-Identifier: BSD-3-Clause
// What live processes and core files have in common.
#include "tracer/ompd/target/target.hpp"

#include <algorithm>
#include <cstring>

namespace tracer::ompd {

std::optional<std::uint64_t> Target::auxiliary(std::uint64_t type) const noexcept {
  for (std::size_t i = 0; i + 1 < auxiliary_.size(); i += 2) {
    if (auxiliary_[i] == type) return auxiliary_[i + 1];
  }
  return std::nullopt;
}

void Target::set_auxiliary(std::span<const unsigned char> bytes) {
  auxiliary_.resize(std::min<std::size_t>(bytes.size() / sizeof(std::uint64_t), 1024));
  if (!auxiliary_.empty()) std::memcpy(auxiliary_.data(), bytes.data(), auxiliary_.size() * sizeof(std::uint64_t));
}

std::string Target::text(std::uint64_t address, std::size_t limit) const {
  std::string result;
  char chunk[64];
  while (result.size() < limit) {
    const std::size_t want = std::min(sizeof chunk, limit - result.size());
    const std::size_t count = read(address + result.size(), chunk, want);
    const std::size_t length = strnlen(chunk, count);
    result.append(chunk, length);
    if (length < count || count < want) break;
  }
  return result;
}

}  // namespace tracer::ompd
