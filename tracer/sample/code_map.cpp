// SPDX-License-Identifier: BSD-3-Clause
// See code_map.hpp.
#include "tracer/sample/code_map.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "tracer/base/clock.hpp"
#include "tracer/base/files/file_fact.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/session/run_facts.hpp"

namespace tracer::sample {
namespace {

/// Of all copies of a process: node's maps have some hundred bytes for each function that it compiles.
constexpr std::uint64_t most_bytes = 64 << 20;
/// A file's times go in the kernel's ticks, and a process's start in those of /proc: of 10 ms at most, each.
constexpr std::uint64_t ticks_ns = 20'000'000;
/// A line that is longer is none.
constexpr std::size_t longest_line = 16 << 10;
constexpr std::size_t bytes_at_once = 1 << 20;

std::string path_of_map(pid_t process) {
  return "/tmp/perf-" + std::to_string(process) + ".map";
}

/// This process and those that it was forked from, whose code it has: the youngest last. Of more the oldest count.
struct Ancestor {
  pid_t process;
  std::uint64_t start;  ///< in ns since the epoch
};
constexpr std::size_t most_ancestors = 8;
Ancestor ancestors[most_ancestors];
std::size_t ancestor_count = 0;

/// Since the epoch.
std::uint64_t start_of_this_process() {
  const std::string stat = read_small_file("/proc/self/stat");
  const Nanoseconds boot = read_clock(CLOCK_BOOTTIME), monotonic = read_clock(CLOCK_MONOTONIC);
  const Nanoseconds start = process_start(stat, static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)), boot, monotonic);
  return read_clock(CLOCK_REALTIME) - (monotonic - start);
}

}  // namespace

void CodeMap::give_up(std::string why) noexcept {
  is_over_ = true;
  message_ = std::move(why);
}

void CodeMap::begin(std::filesystem::path at, std::filesystem::path path) {
  at_ = std::move(at);
  path_ = std::move(path);
}

void CodeMap::copy() {
  if (is_over_ || path_.empty()) return;
  if (start_ == 0) {
    start_ = start_of_this_process();
    for (std::size_t i = 0; i < ancestor_count; ++i) copy_map_of(ancestors[i].process, ancestors[i].start);
    if (ancestor_count < most_ancestors) ancestors[ancestor_count++] = {::getpid(), start_};
  }
  copy_map_of(::getpid(), start_);
  if (const std::string lines = jit_names_.take(); !is_over_ && !lines.empty()) keep(lines);
}

void CodeMap::copy_map_of(pid_t process, std::uint64_t start) {
  const std::string path = path_of_map(process);
  const RegularFile map = open_regular(path.c_str(), Links::refuse);
  if (!map) {
    if (map.kind != nullptr) give_up("names of code are not read: " + map.message(path));
    return;
  }
  struct stat info {};
  if (::fstat(map.fd.get(), &info) != 0) return;
  if (changed_ns(info) + ticks_ns < start) return;  // of a process that had the number before
  if (map.owner != ::geteuid()) return give_up("names of code are not read: " + path + " is another user's");
  if (info.st_dev != device_ || info.st_ino != inode_ || map.size < copied_) {  // written anew, or another process's
    device_ = info.st_dev;
    inode_ = info.st_ino;
    copied_ = 0;
    rest_.clear();
  }
  copy_from(map.fd.get(), map.size);
}

bool CodeMap::keep(std::string_view lines) {
  if (!file_) file_ = OwnFile::create(at_, path_);
  if (file_.size() + lines.size() > most_bytes) {
    give_up("more than 64 MiB of names of code: functions that come later have no names");
  } else if (file_.append(std::as_bytes(std::span(lines.data(), lines.size()))) != 0) {
    give_up("names of code are not kept: writing them failed");
  }
  return !is_over_;
}

// Whole lines only: what stands behind them is not written yet.
void CodeMap::copy_from(int fd, std::uint64_t size) {
  while (copied_ < size) {
    const std::size_t before = rest_.size(), more = std::min<std::uint64_t>(size - copied_, bytes_at_once);
    rest_.resize(before + more);
    if (!read_at(fd, rest_.data() + before, more, copied_)) {
      rest_.resize(before);
      return;
    }
    copied_ += more;
    const std::size_t end = rest_.rfind('\n') + 1;  // 0 where there is none
    if (end != 0 && !keep({rest_.data(), end})) return;
    trampolines_.add({rest_.data(), end});
    rest_.erase(0, end);
    if (rest_.size() > longest_line) return give_up("names of code are not read: the map has no lines");
  }
}

}  // namespace tracer::sample
