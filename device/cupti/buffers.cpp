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
/// So many are out before the next ones are smaller.
constexpr std::size_t large_ones = 8, medium_ones = 64;
/// Of what is requested, and of the limit: some hundred threads are to have one.
constexpr std::size_t medium_part = 8, small_part = 32;
constexpr std::size_t large_limit = 16, medium_limit = 256, small_limit = 2048;
/// Beyond it all get the same piece, whose content is undefined.
constexpr std::size_t most_scrap = 1024;
constexpr std::size_t scrap_bytes = std::size_t{4} << 10;

std::size_t rounded(std::size_t bytes) noexcept {
  return (std::max(bytes, smallest) + alignment - 1) / alignment * alignment;
}

}  // namespace

Buffers::Lent nobodys_buffer() noexcept {
  alignas(alignment) static std::uint8_t memory[scrap_bytes];
  return {memory, sizeof memory, true};
}

Buffers::Buffers(std::size_t bytes, std::size_t limit) noexcept
    : bytes_{rounded(std::min(bytes, limit / large_limit)),
             rounded(std::min(bytes / medium_part, limit / medium_limit)),
             rounded(std::min(bytes / small_part, limit / small_limit))},
      limit_(limit) {}

unsigned Buffers::class_wanted() const noexcept {
  return lent_ < large_ones ? 0 : lent_ < medium_ones ? 1 : 2;
}

Buffers::Buffer* Buffers::make(unsigned size_class, bool is_scrap) {
  const auto bytes = is_scrap ? scrap_bytes : bytes_[size_class];
  auto& free = free_[is_scrap ? classes : size_class];
  // so that no later step allocates
  free.reserve(all_.size() + 1);
  delivered_.reserve(all_.size() + 1);
  auto* memory = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, bytes));
  if (!memory) return nullptr;
  all_.push_back({memory, size_class, is_scrap, false});
  by_memory_.emplace(memory, &all_.back());
  if (is_scrap)
    ++scrap_;
  else
    allocated_ += bytes;
  return &all_.back();
}

Buffers::Buffer* Buffers::take(unsigned size_class, bool is_scrap) {
  auto& free = free_[is_scrap ? classes : size_class];
  Buffer* buffer = nullptr;
  if (!free.empty()) {
    buffer = free.back();
    free.pop_back();
  } else if (is_scrap ? scrap_ < most_scrap : all_.empty() || allocated_ + bytes_[size_class] <= limit_) {
    buffer = make(size_class, is_scrap);
  }
  return buffer;
}

Buffers::Lent Buffers::lend() noexcept try {
  const std::lock_guard lock(mutex_);
  Buffer* buffer = nullptr;
  // a larger one that is free is better than a new one, and a smaller one better than none
  for (unsigned size = 0; !buffer && size < class_wanted(); ++size)
    if (!free_[size].empty()) buffer = take(size, false);
  for (unsigned size = class_wanted(); !buffer && size < classes; ++size) buffer = take(size, false);
  if (!buffer) buffer = take(0, true);
  if (!buffer) return nobodys_buffer();
  buffer->is_lent = true;
  if (!buffer->is_scrap) ++lent_;
  return {buffer->memory, buffer->is_scrap ? scrap_bytes : bytes_[buffer->size_class], buffer->is_scrap};
} catch (...) {
  return nobodys_buffer();
}

Buffers::Buffer* Buffers::find(const std::uint8_t* memory) noexcept {
  const auto it = by_memory_.find(memory);
  return it == by_memory_.end() ? nullptr : it->second;
}

bool Buffers::complete(std::uint8_t* memory, std::size_t valid) noexcept {
  const std::lock_guard lock(mutex_);
  auto* buffer = find(memory);
  if (!buffer || !buffer->is_lent) return false;
  buffer->is_lent = false;
  if (!buffer->is_scrap) --lent_;
  if (valid == 0 || valid > (buffer->is_scrap ? scrap_bytes : bytes_[buffer->size_class])) {
    free_[buffer->is_scrap ? classes : buffer->size_class].push_back(buffer);
    return false;
  }
  delivered_.push_back({memory, valid, buffer->is_scrap});
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
  if (auto* buffer = find(memory)) free_[buffer->is_scrap ? classes : buffer->size_class].push_back(buffer);
}

std::size_t Buffers::lent() const noexcept {
  const std::lock_guard lock(mutex_);
  return lent_;
}

void Buffers::release() noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& free : free_) {
    for (auto* buffer : free) std::free(buffer->memory);
    free.clear();
  }
}

}  // namespace tracer::device::cupti
