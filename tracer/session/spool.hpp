// SPDX-License-Identifier: BSD-3-Clause
// The memory of the rings: a file in shared memory that outlives the process.
#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>

#include "formats/raw/layout.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/files/file_lock.hpp"
#include "tracer/record.hpp"

namespace tracer {

/// A ring's memory. `committed` grows as the producer first reaches it: an idle thread costs little.
struct Slot {
  raw::SlotHeader* header = nullptr;
  Record* records = nullptr;
  std::uint64_t offset = 0;     ///< in the file; anonymous memory has none
  std::uint64_t reserved = 0;   ///< records, a power of two
  std::uint64_t committed = 0;  ///< records whose memory is there; reading or writing beyond would be fatal
  bool survives = false;        ///< the process's death
  int error = 0;                ///< errno that kept it out of the file; 0: it is there, or there is no file
};

class Spool {
 public:
  /// `page_bytes`: of the system; 0: query it.
  explicit Spool(std::uint64_t page_bytes = 0) noexcept;

  /// Makes `<root>/tracer-<uid>-<random>/rings` and `owner`. False, with the reason, when that cannot be. The rings
  /// take a quarter of what the place has free at most, unless it `is_ours`: chosen for them by the user.
  bool create(const std::filesystem::path& root, const std::string& owner, raw::RunId run, std::string& reason,
              bool is_ours = false) noexcept;

  /// A new slot of `records` (a power of two); in anonymous memory when the file has no room. False, with errno: no
  /// memory.
  bool add(std::uint64_t records, Slot& slot) noexcept;

  /// Producer of the slot. Makes memory for records up to `until`; false when there is none.
  bool commit(Slot& slot, std::uint64_t until) noexcept;

  /// Removes file and directory, also where there is no memory; what is mapped stays mapped. Slots that are added from
  /// now on are in anonymous memory.
  void remove() noexcept;
  /// It was removed, or never made.
  bool is_gone() const noexcept { return is_gone_.load(std::memory_order_acquire); }
  /// In a forked child: the rings are the parent's. They stay mapped.
  void leave_to_parent() noexcept;
  /// From now on others may take the rings for those of a run that is over.
  void unlock() noexcept { lock_.release(); }

  const std::filesystem::path& directory() const noexcept { return directory_; }  ///< "" none
  /// Nanoseconds of processor time that making memory for rings took.
  std::uint64_t spent() const noexcept { return spent_.load(std::memory_order_relaxed); }
  std::mutex& mutex() noexcept { return mutex_; }

 private:
  // 0, or errno.
  int back(std::uint64_t offset, std::uint64_t bytes) noexcept;
  int add_to_file(std::uint64_t records, Slot& slot) noexcept;
  bool leaves_enough(int fd, std::uint64_t bytes) const noexcept;
  bool add_anonymous(std::uint64_t records, Slot& slot) noexcept;

  std::mutex mutex_;
  std::filesystem::path directory_, rings_path_, owner_path_;  ///< whole, as remove() may find no memory
  OwnFile rings_;
  RecorderLock lock_;
  const std::uint64_t page_bytes_;
  std::uint64_t end_ = 0;
  bool is_ours_ = false;
  std::atomic<bool> is_gone_{true};
  std::uint64_t backed_ = 0;  ///< bytes of the file that have memory
  std::atomic<std::uint64_t> spent_{0};
};

}  // namespace tracer
