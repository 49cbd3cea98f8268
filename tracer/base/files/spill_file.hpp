// SPDX-License-Identifier: BSD-3-Clause
// Memory that a process does not have to keep: pages of a file without a name, which the kernel may write out and drop.
// Tables that grow with a run lie in it, so that a conversion takes the same memory whatever the number of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <mutex>

#include "tracer/base/files/file.hpp"

namespace tracer {

class SpillFile {
 public:
  static constexpr std::size_t chunk = std::size_t{4} << 20;

  /// In this directory; where no file can be made there, every block is plain memory.
  explicit SpillFile(const std::filesystem::path& directory) noexcept;
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  /// One piece of memory that grows by chunks. Not by two threads at once.
  class Block {
   public:
    explicit Block(SpillFile& file) : file_(&file) {}
    ~Block();
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    /// One chunk more; the piece may move. Throws std::bad_alloc, and is as before then.
    void grow();
    void* data() const noexcept { return at_; }
    std::size_t bytes() const noexcept { return bytes_; }

   private:
    friend SpillFile;
    void move(std::size_t room);

    SpillFile* file_;
    std::byte* at_ = nullptr;
    std::size_t bytes_ = 0, room_ = 0;  ///< room_: of addresses
    std::size_t in_file_ = 0;           ///< the first bytes, which the kernel may drop
    std::list<Block*>::iterator place_;
    bool is_listed_ = false;
  };

  /// Takes the pages out of the process's memory; they stay in the file, and come back when they are looked at. Any
  /// thread, at any time.
  void release() noexcept;

 private:
  /// Room for a chunk: its offset. Negative: there is none, or the file system does not guarantee it.
  std::int64_t reserve() noexcept;

  std::mutex mutex_;
  UniqueFd fd_;
  std::int64_t end_ = 0;
  bool is_full_ = false;
  std::list<Block*> blocks_;
};

}  // namespace tracer
