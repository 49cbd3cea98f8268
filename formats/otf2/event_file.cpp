// SPDX-License-Identifier: BSD-3-Clause
// See event_file.hpp.
//
//   chunk   0x03, byte order, u64 number of its first event, u64 of its last, records, zeros to the end
//   file    chunks; after the last record end of file (0x02) and end of buffer (0x01)
#include "formats/otf2/event_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "formats/otf2/encode.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace {

enum Mark : std::uint8_t { end_of_chunk = 0, end_of_buffer = 1, end_of_file = 2, chunk_header = 3, timestamp = 5 };
constexpr std::uint8_t little_endian = 0x42;
constexpr std::size_t last_event_at = 10;

/// Of ours alone, and never through a link.
UniqueFd create(int directory, const std::string& name) {
  UniqueFd fd{::openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!fd) throw Error(system_message("cannot make " + name, errno));
  return fd;
}

void write_all(int fd, const std::string& name, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(system_message("cannot write " + name, errno));
    bytes = bytes.subspan(static_cast<std::size_t>(n));
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

EventFile::EventFile(int directory, std::string name, ChunkPool& pool, std::size_t chunk_bytes)
    : directory_(directory),
      name_(std::move(name)),
      pool_(pool),
      chunk_bytes_(chunk_bytes),
      chunk_(static_cast<std::uint8_t*>(pool.take(chunk_bytes))) {
  if (chunk_ == nullptr) throw Error("no memory for the events of " + name_);
  begin_chunk(cursor_);
}

EventFile::~EventFile() {
  if (chunk_ != nullptr) pool_.give(chunk_, chunk_bytes_);
}

void EventFile::begin_chunk(EventCursor& cursor) noexcept {
  cursor.at = put_header(chunk_, cursor.events + 1);
  cursor.end = chunk_ + chunk_bytes_;
}

void EventFile::end_chunk(const EventCursor& cursor) noexcept {
  put_full(chunk_ + last_event_at, cursor.events);
}

EventCursor EventFile::next_chunk(EventCursor cursor, std::uint64_t time) {
  end_chunk(cursor);
  std::memset(cursor.at, end_of_chunk, static_cast<std::size_t>(cursor.end - cursor.at));
  write_out(chunk_bytes_);
  begin_chunk(cursor);
  cursor.at = put_full(put_u8(cursor.at, timestamp), time);
  cursor.time = time;
  return cursor;
}

void EventFile::finish() {
  EventCursor cursor = cursor_;
  end_chunk(cursor);  // at least one byte of it is free
  cursor.at = put_u8(cursor.at, end_of_file);
  if (cursor.at != cursor.end) cursor.at = put_u8(cursor.at, end_of_buffer);
  write_out(static_cast<std::size_t>(cursor.at - chunk_));
  close_file(fd_, name_);
  pool_.give(std::exchange(chunk_, nullptr), chunk_bytes_);
}

void EventFile::write_out(std::size_t bytes) {
  if (!fd_) fd_ = create(directory_, name_);
  write_all(fd_.get(), name_, {chunk_, bytes});
}

void write_local_definitions(int directory, const std::string& name, std::span<const std::uint8_t> records) {
  std::vector<std::uint8_t> bytes(20 + records.size());
  std::uint8_t* end = put_header(bytes.data(), 1);
  end = std::copy(records.begin(), records.end(), end);
  put_u8(put_u8(end, end_of_file), end_of_buffer);
  UniqueFd fd = create(directory, name);
  write_all(fd.get(), name, bytes);
  close_file(fd, name);
}

void replace_local_definitions(int directory, const std::string& name, std::span<const std::uint8_t> records) {
  ::unlinkat(directory, name.c_str(), 0);
  write_local_definitions(directory, name, records);
}

}  // namespace tracer::otf2
