// SPDX-License-Identifier: BSD-3-Clause
// The memory of OTF2's buffers: one chunk per open file, used again from file to file. Without it
// the library keeps up to 128 MiB per location and flushes them all at once.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace tracer::otf2 {

class ChunkPool {
 public:
  ChunkPool() = default;
  ChunkPool(const ChunkPool&) = delete;
  ChunkPool& operator=(const ChunkPool&) = delete;
  ~ChunkPool();

  /// For OTF2_Archive_SetMemoryCallbacks, which keeps the pointer, with the pool as user data; any thread.
  static const OTF2_MemoryCallbacks* callbacks() noexcept;

  /// A chunk of our own; any thread. nullptr: no memory.
  void* take(std::uint64_t bytes);
  void give(void* chunk, std::uint64_t bytes) noexcept;

 private:
  static void* allocate(void* pool, OTF2_FileType, OTF2_LocationRef, void** buffer, std::uint64_t bytes);
  static void free_all(void* pool, OTF2_FileType, OTF2_LocationRef, void** buffer, bool final);

  std::mutex mutex_;
  std::multimap<std::uint64_t, void*> free_;
};

}  // namespace tracer::otf2
