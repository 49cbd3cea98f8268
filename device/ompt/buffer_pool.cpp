// SPDX-License-Identifier: BSD-3-Clause
// Takes, gives back and reclaims trace buffers.
#include "device/ompt/buffer_pool.hpp"

#include <algorithm>
#include <new>

namespace tracer::device::ompt {

void* BufferPool::take(unsigned owner) noexcept try {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    if ((memory_.size() + 1) * buffer_bytes_ > limit_bytes_) return nullptr;
    memory_.reserve(memory_.size() + 1);
    free_.reserve(memory_.size() + 1);  // so that give_back never allocates
    auto* memory = static_cast<std::byte*>(::operator new(buffer_bytes_, alignment, std::nothrow));
    if (!memory) return nullptr;
    memory_.emplace_back(memory);
    owners_.emplace(memory, nobody);
    free_.push_back(memory);
  }
  void* buffer = free_.back();
  free_.pop_back();
  owners_.find(buffer)->second = owner;
  return buffer;
} catch (...) {
  return nullptr;
}

bool BufferPool::give_back(void* buffer) noexcept {
  const std::lock_guard lock(mutex_);
  const auto it = owners_.find(buffer);
  if (it == owners_.end() || it->second == nobody) return false;
  it->second = nobody;
  free_.push_back(buffer);
  return true;
}

bool BufferPool::hand_over(void* buffer) noexcept {
  const std::lock_guard lock(mutex_);
  const auto it = owners_.find(buffer);
  if (it == owners_.end() || it->second == nobody || it->second == waiting) return false;
  it->second = waiting;
  return true;
}

bool BufferPool::is_out(void* buffer) const noexcept {
  const std::lock_guard lock(mutex_);
  const auto it = owners_.find(buffer);
  return it != owners_.end() && it->second != nobody && it->second != waiting;
}

std::size_t BufferPool::out(unsigned owner) const noexcept {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(owners_.begin(), owners_.end(), [&](const auto& entry) { return entry.second == owner; }));
}

}  // namespace tracer::device::ompt
