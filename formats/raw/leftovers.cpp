// SPDX-License-Identifier: BSD-3-Clause
// See leftovers.hpp.
#include "formats/raw/leftovers.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <string_view>
#include <system_error>

#include "formats/raw/claim.hpp"
#include "formats/raw/samples.hpp"
#include "formats/raw/segment_index.hpp"
#include "formats/raw/spool_reader.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/files/file_lock.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/error.hpp"

namespace tracer::raw {
namespace {

constexpr const char* kept = "kept";
constexpr const char* reported_mark = "said";  ///< a file beside rings

void read_owner(const std::filesystem::path& path, Leftover& leftover) {
  const RegularFile file = open_regular(path.c_str(), Links::refuse);
  char text[8192];
  const ssize_t size = file ? ::read(file.fd.get(), text, sizeof text) : 0;
  if (size <= 0) return;
  // The archive's name may hold anything but a NUL.
  const std::string_view all(text, static_cast<std::size_t>(size));
  const auto end = all.find('\0');
  leftover.archive = all.substr(0, end);
  if (end != all.npos) leftover.launch = all.substr(end + 1);
}

bool is_spool_name(const std::string& name) {
  return name.starts_with("tracer-" + std::to_string(::geteuid()) + "-");
}

bool is_in_use(const SpoolFile& spool, const std::filesystem::path& directory) noexcept {
  const FileUse use = use_of(spool.fd.get());
  return use == FileUse::recorder || (!spool.locked && process_is_alive(directory, spool.process_id));
}

/// Whether nobody records into these rings, and nobody will: `lock` sees to that.
bool claim(const std::filesystem::path& directory, ConverterLock& lock) {
  SpoolHeader header{};
  const auto got = lock.take(directory / "rings", false, false);
  const bool read = lock.fd() >= 0 && read_at(lock.fd(), &header, sizeof header, 0);
  if (got == ConverterLock::Got::in_use) return read && is_own(header.run);
  if (got == ConverterLock::Got::removed || !read || header.locked == 1) return true;
  return is_own(header.run) || !process_is_alive(directory, header.process_id);
}

}  // namespace

bool is_recorded_into(const std::filesystem::path& spool) noexcept {
  try {
    return is_in_use(open_spool(spool), spool);
  } catch (...) {
    return false;
  }
}

bool process_is_alive(const std::filesystem::path& spool, std::uint32_t process_id) noexcept {
  if (process_id == 0 || process_id > 0x7fffffff) return false;
  // The process maps the rings: a number that another process has got since does not.
  try {
    const std::string maps = read_small_file(("/proc/" + std::to_string(process_id) + "/maps").c_str(), 64u << 20);
    if (!maps.empty()) return maps.find((spool / "rings").string()) != maps.npos;
    const std::string status = read_small_file(("/proc/" + std::to_string(process_id) + "/stat").c_str());
    if (status.find(") Z ") != status.npos || status.find(") X ") != status.npos) return false;
  } catch (...) {
  }
  const bool has_proc = ::access("/proc/self", F_OK) == 0;
  return ::kill(static_cast<pid_t>(process_id), 0) == 0 &&
         (!has_proc || ::access(("/proc/" + std::to_string(process_id) + "/exe").c_str(), F_OK) == 0);
}

std::vector<Leftover> find_leftovers(const std::filesystem::path& root) {
  std::vector<Leftover> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root, error)) {
    struct stat info {};
    if (!is_spool_name(entry.path().filename().string()) || ::lstat(entry.path().c_str(), &info) != 0 ||
        !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid()) {
      continue;
    }
    Leftover leftover;
    leftover.spool = entry.path();
    read_owner(entry.path() / "owner", leftover);
    if (::lstat((entry.path() / "rings").c_str(), &info) == 0)
      leftover.bytes = static_cast<std::uint64_t>(info.st_blocks) * 512;
    try {
      const SpoolFile spool = open_spool(entry.path());
      leftover.process_id = spool.process_id;
      leftover.alive = is_in_use(spool, entry.path());
    } catch (const Error&) {
    }
    found.push_back(std::move(leftover));
  }
  std::sort(found.begin(), found.end(), [](const Leftover& a, const Leftover& b) { return a.spool < b.spool; });
  return found;
}

bool remove_spool(const std::filesystem::path& directory) noexcept {
  try {
    if (!is_spool_name(directory.filename().string())) return false;
    const UniqueFd fd{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0 || info.st_uid != ::geteuid()) return false;
    ConverterLock lock;
    if (!claim(directory, lock)) return false;
    ::unlinkat(fd.get(), "rings", 0);
    ::unlinkat(fd.get(), "owner", 0);
    ::unlinkat(fd.get(), reported_mark, 0);
    return ::rmdir(directory.c_str()) == 0;
  } catch (...) {
    return false;
  }
}

bool is_reported(const std::filesystem::path& spool) noexcept {
  return is_there(spool / reported_mark);
}

void mark_reported(const std::filesystem::path& spool) noexcept {
  if (!is_spool_name(spool.filename().string())) return;
  const UniqueFd fd{::open(spool.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0 || info.st_uid != ::geteuid()) return;
  UniqueFd{::openat(fd.get(), reported_mark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)};
}

void remove_spool_of(const std::filesystem::path& raw_directory, const std::filesystem::path& spool) noexcept {
  try {
    Leftover leftover;
    read_owner(spool / "owner", leftover);
    const auto original = leftover.archive / "raw" / "journal";
    std::error_code error;
    if (std::filesystem::exists(original, error) &&
        !std::filesystem::equivalent(original, raw_directory / "journal", error))
      return;
    remove_spool(spool);
  } catch (...) {
  }
}

void remove_raw_trace(const std::filesystem::path& directory, const std::filesystem::path& spool) noexcept {
  try {
    const UniqueFd fd{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (!fd) return;  // a link: what it leads to is another trace's
    for (const char* name : {kept, "trace"}) ::unlinkat(fd.get(), name, 0);  // done, from here on
    if (!spool.empty()) remove_spool_of(directory, spool);
    for (const char* name : {"rings", "samples", code_map, "journal"}) ::unlinkat(fd.get(), name, 0);
    ::rmdir(directory.c_str());
  } catch (...) {
  }
}

void mark_kept(const std::filesystem::path& directory, bool keep) noexcept {
  const UniqueFd fd{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!fd) return;
  if (keep)
    UniqueFd{::openat(fd.get(), kept, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600)};
  else
    ::unlinkat(fd.get(), kept, 0);
}

bool is_kept(const std::filesystem::path& directory) noexcept {
  return is_there(directory / kept);
}

bool is_done(const std::filesystem::path& directory) noexcept {
  return !is_there(directory / "trace") || is_there(directory / kept);
}

}  // namespace tracer::raw
