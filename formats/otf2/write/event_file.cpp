// SPDX-License-Identifier: BSD-3-Clause
// See event_file.hpp.
//
//   chunk   0x03, byte order, u64 number of its first event, u64 of its last, records, zeros to the end
//   file    chunks; after the last record end of file (0x02) and end of buffer (0x01)
#include "formats/otf2/write/event_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "formats/otf2/write/encode.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace {

enum Mark : std::uint8_t { end_of_chunk = 0, end_of_buffer = 1, end_of_file = 2, chunk_header = 3, timestamp = 5 };
constexpr std::uint8_t little_endian = 0x42;
constexpr std::size_t last_event_at = 10;

/// Readable by others as the umask permits; never follows a link.
UniqueFd open_file(int directory, const std::string& name, int how) {
  UniqueFd fd{::openat(directory, name.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC | how, 0644)};
  if (!fd) throw Error(system_message("cannot make " + name, errno));
  return fd;
}
UniqueFd create(int directory, const std::string& name) {
  return open_file(directory, name, O_CREAT | O_EXCL);
}

void write_all(int fd, const std::string& name, std::uint64_t at, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(system_message("cannot write " + name, errno));
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
}

/// A disk over the network may refuse at the end only.
void close_file(UniqueFd& fd, const std::string& name) {
  if (::close(fd.release()) != 0 && errno != EINTR) throw Error(system_message("cannot write " + name, errno));
}

std::uint8_t* put_header(std::uint8_t* to, std::uint64_t first_event) noexcept {
  to = put_u8(put_u8(to, chunk_header), little_endian);
  return put_full(put_full(to, first_event), 0);
}

}  // namespace

EventFile::EventFile(int directory, std::string name, ChunkPool& pool, std::size_t chunk_bytes, std::size_t window)
    : directory_(directory),
      name_(std::move(name)),
      pool_(pool),
      chunk_bytes_(chunk_bytes),
      window_(window),
      bytes_(static_cast<std::uint8_t*>(pool.take(window))) {
  if (bytes_ == nullptr) throw Error("no memory for the events of " + name_);
  begin_chunk(cursor_);
}

EventFile::~EventFile() {
  if (bytes_ != nullptr) pool_.give(bytes_, window_);
}

void EventFile::begin_chunk(EventCursor& cursor) noexcept {
  cursor.at = put_header(bytes_, cursor.events + 1);
  cursor.end = bytes_ + std::min(window_, left_in_chunk());
}

/// The chunk's header contains the number of its last event; it is in memory or written.
void EventFile::end_chunk(std::uint64_t last_event) {
  if (written_ == chunk_at_) {
    put_full(bytes_ + last_event_at, last_event);
    return;
  }
  std::uint8_t number[sizeof last_event];
  put_full(number, last_event);
  write(chunk_at_ + last_event_at, number);
}

/// As `bytes_`, which holds nothing any more, but for `bytes` at least.
void EventFile::widen(std::size_t bytes) {
  const std::size_t wanted = std::min(std::max(2 * window_, bytes), chunk_bytes_);
  pool_.give(std::exchange(bytes_, nullptr), window_);
  window_ = wanted;
  bytes_ = static_cast<std::uint8_t*>(pool_.take(window_));
  if (bytes_ == nullptr) throw Error("no memory for the events of " + name_);
}

EventCursor EventFile::continue_at(EventCursor cursor, std::uint64_t time, std::size_t bytes) {
  const auto used = static_cast<std::size_t>(cursor.at - bytes_);
  const bool fits = left_in_chunk() - used >= bytes + time_bytes && window_ < chunk_bytes_;
  if (!fits) {
    end_chunk(cursor.events);
    std::memset(cursor.at, end_of_chunk, static_cast<std::size_t>(cursor.end - cursor.at));
    write_out(
        static_cast<std::size_t>(cursor.end - bytes_));  // zeros to its end, as a file has where nothing is written
    chunk_at_ = written_ = chunk_at_ + chunk_bytes_;
  } else {
    write_out(used);
  }
  if (bytes + header_bytes + time_bytes > window_) widen(bytes + header_bytes + time_bytes);
  if (fits) {
    cursor.at = bytes_;
    cursor.end = bytes_ + std::min(window_, left_in_chunk());
  } else {
    begin_chunk(cursor);
  }
  cursor.at = put_full(put_u8(cursor.at, timestamp), time);
  cursor.time = time;
  return cursor;
}

void EventFile::finish() {
  EventCursor cursor = cursor_;
  end_chunk(cursor.events);  // at least one byte of it is free
  cursor.at = put_u8(cursor.at, end_of_file);
  if (cursor.at != cursor.end) cursor.at = put_u8(cursor.at, end_of_buffer);
  write_out(static_cast<std::size_t>(cursor.at - bytes_));
  if (fd_) close_file(fd_, name_);
  pool_.give(std::exchange(bytes_, nullptr), window_);
}

void EventFile::write_out(std::size_t bytes) {
  write(written_, {bytes_, bytes});
  written_ += bytes;
}

void EventFile::write(std::uint64_t at, std::span<const std::uint8_t> bytes) {
  if (!fd_) fd_ = is_made_ ? open_file(directory_, name_, 0) : create(directory_, name_);
  is_made_ = true;
  write_all(fd_.get(), name_, at, bytes);
  if (window_ < chunk_bytes_) close_file(fd_, name_);
}

bool LocalDefinitionWriter::link_to_last(int directory, const std::string& name,
                                         std::span<const std::uint8_t> records) {
  const std::lock_guard lock{mutex_};
  return !last_.empty() && std::equal(records.begin(), records.end(), last_records_.begin(), last_records_.end()) &&
         ::linkat(directory, last_.c_str(), directory, name.c_str(), 0) == 0;
}

void LocalDefinitionWriter::make(int directory, const std::string& name, std::span<const std::uint8_t> records) {
  if (link_to_last(directory, name, records)) return;
  std::vector<std::uint8_t> bytes(20 + records.size());
  std::uint8_t* end = put_header(bytes.data(), 1);
  end = std::copy(records.begin(), records.end(), end);
  put_u8(put_u8(end, end_of_file), end_of_buffer);
  UniqueFd fd = create(directory, name);
  write_all(fd.get(), name, 0, bytes);
  close_file(fd, name);
  const std::lock_guard lock{mutex_};
  last_ = name;
  last_records_.assign(records.begin(), records.end());
}

void LocalDefinitionWriter::replace(int directory, const std::string& name, std::span<const std::uint8_t> records) {
  ::unlinkat(directory, name.c_str(), 0);
  make(directory, name, records);
}

}  // namespace tracer::otf2
