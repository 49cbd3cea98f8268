// SPDX-License-Identifier: BSD-3-Clause
// The memory of the rings: a file in shared memory that outlives the process.
#include "tracer/session/spool.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "tracer/base/clock.hpp"
#include "tracer/base/files/write_signals.hpp"
#include "tracer/error.hpp"

namespace tracer {
namespace {

constexpr std::uint64_t first_commit = 64 << 10;
constexpr std::uint64_t most_commit = 512 << 10;  // a third of a millisecond

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/// Maps pages that have memory behind them, in one call instead of a fault each. Linux 5.14; best effort.
void populate(void* from, std::uint64_t bytes, std::uint64_t page) noexcept {
  const std::uint64_t before = reinterpret_cast<std::uint64_t>(from) % page;
  ::madvise(static_cast<char*>(from) - before, before + bytes, MADV_POPULATE_WRITE);
}

/// Adds the processor time of its life to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(std::atomic<std::uint64_t>& sum) noexcept : sum_(sum), begin_(processor_time()) {}
  ~Stopwatch() { sum_.fetch_add(processor_time() - begin_, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t>& sum_;
  Nanoseconds begin_;
};

void start_header(raw::SlotHeader* header, std::uint64_t records) noexcept {
  auto* slot = new (header) raw::SlotHeader{};
  slot->reserved_capacity = records;
  slot->capacity.store(records, std::memory_order_relaxed);
  slot->channel.store(raw::no_channel, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  slot->magic = raw::slot_magic;
}

/// A hole in a file on a full disk is a SIGBUS for the program: memory must be there before it is touched. 0, or errno.
int fill_hole(int fd, std::uint64_t offset, std::uint64_t bytes) noexcept {
  int result = 0;
  do {
    result = ::fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result == 0) return 0;
  if (errno != EOPNOTSUPP) return errno;
  static const char zeros[4096]{};
  for (std::uint64_t done = 0; done < bytes; done += sizeof zeros) {
    const ssize_t written = ::pwrite(fd, zeros, sizeof zeros, static_cast<off_t>(offset + done));
    if (written != sizeof zeros) return written < 0 ? errno : ENOSPC;
  }
  return 0;
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  OwnFile file = OwnFile::create(path);
  file.append(std::as_bytes(std::span(text)));
  file.close();
}

}  // namespace

Spool::Spool(std::uint64_t page_bytes) noexcept
    : page_bytes_(page_bytes != 0 ? page_bytes : static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))) {}

bool Spool::create(const std::filesystem::path& root, const std::string& owner, raw::RunId run, std::string& reason,
                   bool is_ours) noexcept {
  is_ours_ = is_ours;
  try {
    auto directory = root / ("tracer-" + std::to_string(::geteuid()) + "-" + random_name());
    rings_path_ = directory / "rings";
    owner_path_ = directory / "owner";
    if (!make_private_directory(directory)) throw Error(directory.string() + " exists already");
    directory_ = std::move(directory);
    rings_ = OwnFile::create(rings_path_);
    const int lock_error = lock_.take(rings_path_);
    if (lock_error == EAGAIN || lock_error == ESTALE) throw Error(directory_.string() + " is being removed");
    write_text(owner_path_, owner);
    raw::SpoolHeader header{};
    header.locked = lock_.held() ? 1 : 0;
    std::memcpy(header.magic, raw::spool_magic, sizeof header.magic);
    header.version = raw::format_version;
    header.process_id = static_cast<std::uint32_t>(::getpid());
    header.run = run;
    std::byte page[raw::spool_page]{};
    std::memcpy(page, &header, sizeof header);
    if (const int error = rings_.append(page))
      throw Error(system_message("cannot write " + rings_.path().string(), error));
    end_ = raw::spool_page;
    is_gone_ = false;
    return true;
  } catch (const std::exception& error) {
    try {
      reason = error.what();
    } catch (...) {
    }
    remove();
    return false;
  }
}

/// The file system is the program's too, and it may meet SIGBUS where the tool would only wait: Docker's /dev/shm has
/// 64 MiB. The rings take a quarter of what was free, less what is there with them: the tool's other files, the
/// runtime's. The file system is queried each time, since other processes use it, too.
bool Spool::leaves_enough(int fd, std::uint64_t bytes) const noexcept {
  if (is_ours_) return true;
  constexpr std::uint64_t share = 4, other_files = 64 << 10;
  struct statvfs system {};
  if (::fstatvfs(fd, &system) != 0 || system.f_blocks == 0) return true;  // no limit is known
  const std::uint64_t free = std::uint64_t{system.f_bavail} * system.f_frsize;
  return backed_ + bytes + other_files <= (free + backed_) / share;
}

int Spool::back(std::uint64_t offset, std::uint64_t bytes) noexcept {
  const int fd = rings_.descriptor();
  if (fd < 0) return errno;
  if (!leaves_enough(fd, bytes)) return ENOSPC;
  if (const int error = fill_hole(fd, offset, bytes)) return error;
  backed_ += bytes;
  return 0;
}

bool Spool::add(std::uint64_t records, Slot& slot) noexcept {
  const WithoutWriteSignals guard;
  const Stopwatch watch(spent_);
  const std::lock_guard lock(mutex_);
  slot.error = rings_ ? add_to_file(records, slot) : 0;
  return slot.survives || add_anonymous(records, slot);
}

int Spool::add_to_file(std::uint64_t records, Slot& slot) noexcept {
  const std::uint64_t bytes = records * sizeof(Record);
  const std::uint64_t first = std::min(first_commit, bytes);
  if (const int error = back(end_, raw::spool_page + first)) return error;
  const int fd = rings_.descriptor();
  // Where the system's pages are larger than the file's (64 KiB of some for AArch64), from the page in which the slot
  // begins.
  const std::uint64_t before = end_ % page_bytes_, mapped = before + raw::spool_page + bytes;
  void* base = MAP_FAILED;
  if (::ftruncate(fd, static_cast<off_t>(end_ + raw::spool_page + bytes)) == 0)
    base = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(end_ - before));
  if (base == MAP_FAILED) {
    const int error = errno;
    [[maybe_unused]] const int shortened = ::ftruncate(fd, static_cast<off_t>(end_));
    backed_ -= raw::spool_page + first;
    return error;
  }
  ::madvise(base, mapped, MADV_DONTDUMP);
  char* const memory = static_cast<char*>(base) + before;
  populate(memory, raw::spool_page + first, page_bytes_);
  slot.header = reinterpret_cast<raw::SlotHeader*>(memory);
  slot.records = reinterpret_cast<Record*>(memory + raw::spool_page);
  slot.offset = end_;
  slot.reserved = records;
  slot.committed = first / sizeof(Record);
  slot.survives = true;
  end_ += raw::spool_page + bytes;
  start_header(slot.header, records);
  return 0;
}

bool Spool::add_anonymous(std::uint64_t records, Slot& slot) noexcept {
  const std::uint64_t bytes = raw::spool_page + records * sizeof(Record);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  ::madvise(memory, bytes, MADV_DONTDUMP);
  slot.header = static_cast<raw::SlotHeader*>(memory);
  slot.records = reinterpret_cast<Record*>(static_cast<char*>(memory) + raw::spool_page);
  slot.offset = 0;
  slot.reserved = slot.committed = records;
  slot.survives = false;
  start_header(slot.header, records);
  return true;
}

bool Spool::commit(Slot& slot, std::uint64_t until) noexcept {
  if (until <= slot.committed) return true;
  if (until > slot.reserved) return false;
  const WithoutWriteSignals guard;
  const Stopwatch watch(spent_);
  const std::uint64_t have = slot.committed * sizeof(Record);
  const std::uint64_t want = std::max(until * sizeof(Record), have + std::min(have, most_commit));
  const std::uint64_t to = std::min(want, slot.reserved * sizeof(Record));
  {
    const std::lock_guard lock(mutex_);
    if (back(slot.offset + raw::spool_page + have, to - have) != 0) return false;
  }
  populate(reinterpret_cast<char*>(slot.records) + have, to - have, page_bytes_);
  slot.committed = to / sizeof(Record);
  return true;
}

void Spool::remove() noexcept {
  if (directory_.empty()) return;
  is_gone_ = true;
  // Who has the lock may be this very thread, interrupted by a signal whose handler ends the program: no waiting. The
  // descriptor stays with the process then.
  if (const std::unique_lock lock(mutex_, std::try_to_lock); lock) {
    rings_.close();
    rings_ = OwnFile{};  // a thread that comes now gets memory that nobody will look at
  }
  ::unlink(rings_path_.c_str());
  ::unlink(owner_path_.c_str());
  ::rmdir(directory_.c_str());
  directory_.clear();
}

void Spool::leave_to_parent() noexcept {
  const std::lock_guard lock(mutex_);
  rings_.close();
  rings_ = OwnFile{};
}

}  // namespace tracer
