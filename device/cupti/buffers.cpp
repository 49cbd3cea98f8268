// SPDX-License-Identifier: BSD-3-Clause
// Lends, takes back and recycles.
#include "device/cupti/buffers.hpp"

#include <algorithm>
#include <cstdlib>

namespace tracer::device::cupti {
namespace {

/// CUPTI wants 8; a cache line costs nothing.
constexpr std::size_t alignment = 64;
/// Records are up to 216 bytes, and each buffer costs CUPTI work: less than some hundred records make no sense.
constexpr std::size_t smallest = std::size_t{16} << 10;

}  // namespace

Buffers::Buffers(std::size_t bytes, std::size_t limit) noexcept
    : bytes_((std::max(bytes, smallest) + alignment - 1) / alignment * alignment), limit_(limit) {}

std::uint8_t* Buffers::lend() noexcept try {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    if (!all_.empty() && (all_.size() + 1) * bytes_ > limit_) return nullptr;
    // so that no later step allocates
    all_.reserve(all_.size() + 1);
    free_.reserve(all_.capacity());
    lent_.reserve(all_.capacity());
    delivered_.reserve(all_.capacity());
    auto* memory = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, bytes_));
    if (!memory) return nullptr;
    all_.push_back(memory);
    free_.push_back(memory);
  }
  lent_.push_back(free_.back());
  free_.pop_back();
  return lent_.back();
} catch (...) {
  return nullptr;
}

bool Buffers::complete(std::uint8_t* memory, std::size_t valid) noexcept {
  const std::lock_guard lock(mutex_);
  const auto it = std::find(lent_.begin(), lent_.end(), memory);
  if (it == lent_.end()) return false;
  lent_.erase(it);
  if (valid == 0 || valid > bytes_) {
    free_.push_back(memory);
    return false;
  }
  delivered_.push_back({memory, valid});
  return true;
}

std::optional<Buffers::Delivered> Buffers::next() noexcept {
  const std::lock_guard lock(mutex_);
  if (delivered_.empty()) return std::nullopt;
  const auto first = delivered_.front();
  delivered_.erase(delivered_.begin());
  return first;
}

void Buffers::give_back(std::uint8_t* memory) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(memory);
}

std::size_t Buffers::lent() const noexcept {
  const std::lock_guard lock(mutex_);
  return lent_.size();
}

void Buffers::release() noexcept {
  const std::lock_guard lock(mutex_);
  for (auto* memory : free_) std::free(memory);
  free_.clear();
}

}  // namespace tracer::device::cupti
