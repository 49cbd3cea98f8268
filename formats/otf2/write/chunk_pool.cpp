// SPDX-License-Identifier: BSD-3-Clause
// See chunk_pool.hpp.
#include "formats/otf2/write/chunk_pool.hpp"

#include <cstdint>
#include <cstdlib>
#include <new>

namespace tracer::otf2 {
namespace {

/// What a buffer's `perBufferData` points to: its one chunk.
struct Held {
  void* chunk = nullptr;
  std::uint64_t bytes = 0;
};

}  // namespace

ChunkPool::~ChunkPool() {
  for (auto& [bytes, chunk] : free_) std::free(chunk);
}

const OTF2_MemoryCallbacks* ChunkPool::callbacks() noexcept {
  static constexpr OTF2_MemoryCallbacks table{&ChunkPool::allocate, &ChunkPool::free_all};
  return &table;
}

void* ChunkPool::allocate(void* pool, OTF2_FileType, OTF2_LocationRef, void** buffer, std::uint64_t bytes) {
  auto* held = static_cast<Held*>(*buffer);
  if (held == nullptr) *buffer = held = new (std::nothrow) Held;
  if (held == nullptr || held->chunk != nullptr) return nullptr;  // NULL: the library flushes, then requests it again
  held->chunk = static_cast<ChunkPool*>(pool)->take(bytes);
  held->bytes = bytes;
  return held->chunk;
}

void ChunkPool::free_all(void* pool, OTF2_FileType, OTF2_LocationRef, void** buffer, bool final) {
  auto* held = static_cast<Held*>(*buffer);
  if (held == nullptr) return;
  if (held->chunk != nullptr) static_cast<ChunkPool*>(pool)->give(held->chunk, held->bytes);
  held->chunk = nullptr;
  if (!final) return;
  delete held;
  *buffer = nullptr;
}

void* ChunkPool::take(std::uint64_t bytes) {
  {
    const std::lock_guard lock{mutex_};
    if (const auto found = free_.find(bytes); found != free_.end()) {
      void* chunk = found->second;
      free_.erase(found);
      return chunk;
    }
  }
  return std::malloc(bytes);
}

void ChunkPool::give(void* chunk, std::uint64_t bytes) noexcept {
  try {
    const std::lock_guard lock{mutex_};
    free_.emplace(bytes, chunk);
  } catch (...) {  // no memory for the list's node
    std::free(chunk);
  }
}

}  // namespace tracer::otf2
