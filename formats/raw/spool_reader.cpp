// SPDX-License-Identifier: BSD-3-Clause
// Looks into the rings that a dead process left.
#include "formats/raw/spool_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "formats/raw/claim.hpp"
#include "formats/raw/segment_index.hpp"
#include "tracer/base/file_lock.hpp"
#include "tracer/error.hpp"

namespace tracer::raw {
namespace {

constexpr std::uint64_t record_bytes = 32;
constexpr std::uint64_t most_capacity = (std::uint64_t{1} << 30) / record_bytes;

/// The header as plain numbers: the process that wrote it is dead.
struct PlainSlot {
  std::uint32_t magic, flags;
  std::uint64_t reserved, capacity;
  std::uint32_t channel, thread;
  Ticks begin;
  std::uint64_t head, tail;
};

PlainSlot plain(const std::vector<char>& page) {
  const char* at = page.data();
  PlainSlot slot{};
  const auto get = [&](auto& value, std::size_t offset) { std::memcpy(&value, at + offset, sizeof value); };
  get(slot.magic, offsetof(SlotHeader, magic));
  get(slot.flags, offsetof(SlotHeader, flags));
  get(slot.reserved, offsetof(SlotHeader, reserved_capacity));
  get(slot.capacity, offsetof(SlotHeader, capacity));
  get(slot.channel, offsetof(SlotHeader, channel));
  get(slot.thread, offsetof(SlotHeader, process_thread));
  get(slot.begin, offsetof(SlotHeader, begin));
  get(slot.head, offsetof(SlotHeader, head));
  get(slot.tail, offsetof(SlotHeader, tail));
  return slot;
}

void add_ring(const PlainSlot& slot, std::uint64_t offset, std::vector<LeftRing>& rings) {
  if (slot.channel == no_channel || slot.channel >= (1u << 24)) return;
  if (!std::has_single_bit(slot.capacity) || slot.capacity > slot.reserved) return;
  if (slot.head < slot.tail || slot.head - slot.tail > slot.capacity) return;
  rings.push_back({slot.channel, slot.thread, slot.begin, offset, slot.capacity, slot.tail, slot.head});
}

void read_owner(const std::filesystem::path& path, Leftover& leftover) {
  const UniqueFd fd{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
  char text[8192];
  const ssize_t size = fd ? ::read(fd.get(), text, sizeof text) : 0;
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

}  // namespace

SpoolFile open_spool(const std::filesystem::path& directory) {
  const auto path = directory / "rings";
  SpoolFile spool;
  spool.fd = UniqueFd{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
  if (!spool.fd) throw Error(system_message("cannot read the rings in " + directory.string(), errno));
  struct stat info {};
  if (::fstat(spool.fd.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid()) {
    throw Error("the rings in " + directory.string() + " are not a file of yours");
  }
  SpoolHeader header{};
  if (!read_at(spool.fd.get(), &header, sizeof header, 0) ||
      std::memcmp(header.magic, spool_magic, sizeof header.magic) != 0 || header.version != format_version) {
    throw Error("the rings in " + directory.string() + " are damaged or of another version");
  }
  spool.process_id = header.process_id;
  spool.run = header.run;
  spool.locked = header.locked == 1;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  std::vector<char> page(sizeof(SlotHeader));
  for (std::uint64_t at = spool_page; at + spool_page <= size;) {
    if (!read_at(spool.fd.get(), page.data(), page.size(), at)) break;
    const PlainSlot slot = plain(page);
    if (slot.magic != slot_magic || slot.reserved == 0 || slot.reserved > most_capacity) break;
    add_ring(slot, at + spool_page, spool.rings);
    at += spool_page + slot.reserved * record_bytes;
  }
  return spool;
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
  return ::kill(static_cast<pid_t>(process_id), 0) == 0 &&
         ::access(("/proc/" + std::to_string(process_id) + "/exe").c_str(), F_OK) == 0;
}

namespace {

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
    return ::rmdir(directory.c_str()) == 0;
  } catch (...) {
    return false;
  }
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

void remove_raw_trace(const std::filesystem::path& directory) noexcept {
  try {
    const UniqueFd fd{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (!fd) return;  // a link: what it leads to is another trace's
    for (const char* name : {"trace", "rings", "samples", "journal"}) ::unlinkat(fd.get(), name, 0);
    ::rmdir(directory.c_str());
  } catch (...) {
  }
}

}  // namespace tracer::raw
