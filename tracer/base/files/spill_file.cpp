// SPDX-License-Identifier: BSD-3-Clause
// See spill_file.hpp. Room is reserved in the file before it is written through memory: on a full disk that would be
// a signal. Where it cannot be reserved the chunk is plain memory.
#include "tracer/base/files/spill_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include <new>

#include "tracer/base/files/spill_room.hpp"
#include "tracer/base/files/write_signals.hpp"

namespace tracer {
namespace {

constexpr long tmpfs = 0x01021994, ramfs = 0x858458f6;

/// Files there are memory.
bool is_in_memory(int fd) noexcept {
  struct statfs info {};
  return ::fstatfs(fd, &info) == 0 && (info.f_type == tmpfs || info.f_type == ramfs);
}

}  // namespace

std::uint64_t spill_room(const std::filesystem::path& directory) noexcept {
  const UniqueFd fd{::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
  struct statfs info {};
  if (!fd || is_in_memory(fd.get()) || ::fstatfs(fd.get(), &info) != 0) return 0;
  const WithoutWriteSignals guard;
  if (::fallocate(fd.get(), 0, 0, static_cast<off_t>(SpillFile::chunk)) != 0) return 0;
  return static_cast<std::uint64_t>(info.f_bavail) * static_cast<std::uint64_t>(info.f_bsize);
}

SpillFile::SpillFile(const std::filesystem::path& directory) noexcept {
  if (directory.empty()) return;
  fd_ = UniqueFd{::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
  if (fd_ && is_in_memory(fd_.get())) fd_.reset();
}

std::int64_t SpillFile::reserve() noexcept {
  if (!fd_ || is_full_) return -1;
  const WithoutWriteSignals guard;
  if (::fallocate(fd_.get(), 0, end_, static_cast<off_t>(chunk)) != 0) {
    is_full_ = true;
    return -1;
  }
  const std::int64_t offset = end_;
  end_ += static_cast<std::int64_t>(chunk);
  return offset;
}

void SpillFile::release() noexcept {
  const std::lock_guard lock(mutex_);
  for (const Block* block : blocks_)
    if (block->in_file_ != 0) ::madvise(block->at_, block->in_file_, MADV_DONTNEED);
}

SpillFile::Block::~Block() {
  if (at_ == nullptr) return;
  const std::lock_guard lock(file_->mutex_);
  if (is_listed_) file_->blocks_.erase(place_);
  ::munmap(at_, room_);
}

/// To a place with more addresses; nothing is copied.
void SpillFile::Block::move(std::size_t room) {
  void* const place = ::mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc();
  auto* const to = static_cast<std::byte*>(place);
  for (std::size_t done = 0; done < bytes_; done += chunk)
    if (::mremap(at_ + done, chunk, chunk, MREMAP_MAYMOVE | MREMAP_FIXED, to + done) == MAP_FAILED) {
      while (done != 0) {  // back, where there is room for sure
        done -= chunk;
        ::mremap(to + done, chunk, chunk, MREMAP_MAYMOVE | MREMAP_FIXED, at_ + done);
      }
      ::munmap(place, room);
      throw std::bad_alloc();
    }
  if (at_ != nullptr) ::munmap(at_, room_);
  at_ = to;
  room_ = room;
}

void SpillFile::Block::grow() {
  const std::lock_guard lock(file_->mutex_);
  if (!is_listed_) {
    place_ = file_->blocks_.insert(file_->blocks_.end(), this);
    is_listed_ = true;
  }
  if (bytes_ == room_) move(room_ == 0 ? 4 * chunk : 2 * room_);
  // Behind a chunk of plain memory comes no other kind: what may be dropped is in one piece.
  const std::int64_t offset = in_file_ == bytes_ ? file_->reserve() : -1;
  const int kind = offset >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const made = ::mmap(at_ + bytes_, chunk, PROT_READ | PROT_WRITE, kind | MAP_FIXED,
                            offset >= 0 ? file_->fd_.get() : -1, offset >= 0 ? offset : 0);
  if (made == MAP_FAILED) throw std::bad_alloc();
  bytes_ += chunk;
  if (offset >= 0) in_file_ = bytes_;
}

}  // namespace tracer
