// SPDX-License-Identifier: BSD-3-Clause
// Finds the segments of a trace file of unknown condition.
#include "formats/raw/segment_index.hpp"

#include <sys/stat.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tracer/base/files/checksum.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/device_record.hpp"
#include "tracer/error.hpp"

namespace tracer::raw {
namespace {

constexpr std::uint64_t most_position = std::uint64_t{1} << 56;

bool is_sound(const SegmentHeader& header) noexcept {
  if (header.magic != segment_magic || header.check != checksum(&header, offsetof(SegmentHeader, check))) return false;
  if (header.records == 0 || header.records > most_segment_records) return false;
  if (header.payload_bytes > most_payload_bytes || header.position > most_position) return false;
  if (header.kind == SegmentKind::device_records) {
    return header.payload_bytes == header.records * sizeof(DeviceRecord);
  }
  return header.kind == SegmentKind::records && header.channel < most_channels &&
         header.payload_bytes >= header.records;
}

/// Looks for headers behind damage. What it has read of the file it keeps for the next damaged place.
class HeaderSearch {
 public:
  HeaderSearch(int fd, std::uint64_t size) noexcept : fd_{fd}, size_{size} {}

  /// The next place from `offset` on where a sound header stands; the file's size when there is none.
  std::uint64_t next(std::uint64_t offset) {
    while (offset + header_bytes <= size_) {
      if (!has(offset) && !read_from(offset)) return size_;
      std::size_t at = offset < begin_ ? 0 : static_cast<std::size_t>(offset - begin_);
      for (; at + header_bytes <= filled_; ++at) {
        SegmentHeader header;
        if (std::memcmp(window_.data() + at, &segment_magic, 4) != 0) continue;
        std::memcpy(&header, window_.data() + at, sizeof header);
        if (is_sound(header)) return begin_ + at;
      }
      offset = begin_ + at;
    }
    return size_;
  }
  std::uint64_t bytes_read() const noexcept { return bytes_read_; }

 private:
  static constexpr std::uint64_t header_bytes = sizeof(SegmentHeader);

  /// In the window, with a header's bytes from there on.
  bool has(std::uint64_t offset) const noexcept {
    return offset >= begin_ && offset + header_bytes <= begin_ + filled_;
  }
  /// False: nothing is there, or it cannot be read.
  bool read_from(std::uint64_t offset) {
    // Holes hold no headers: a file may claim to be of any size.
    const std::uint64_t data = data_from(fd_, offset, size_);
    if (data == size_) return false;
    if (data > offset + header_bytes) offset = data - header_bytes;
    window_.resize(1 << 20);
    begin_ = offset;
    filled_ = static_cast<std::size_t>(std::min<std::uint64_t>(window_.size(), size_ - offset));
    bytes_read_ += filled_;
    return read_at(fd_, window_.data(), filled_, offset);
  }

  int fd_;
  std::uint64_t size_, begin_ = 0, bytes_read_ = 0;
  std::size_t filled_ = 0;
  std::vector<char> window_;
};

/// Whether from `offset` to the end there is the beginning of one segment: then nothing was damaged.
bool is_cut(int fd, std::uint64_t offset, std::uint64_t size) {
  SegmentHeader header{};
  const std::uint64_t left = size - offset;
  if (!read_at(fd, &header, static_cast<std::size_t>(std::min<std::uint64_t>(left, sizeof header)), offset))
    return false;
  if (left < sizeof header) return left < 4 || header.magic == segment_magic;
  return is_sound(header) && header.payload_bytes > left - sizeof header;
}

void check_file_header(int fd, SegmentIndex& index) {
  FileHeader header{};
  if (!read_at(fd, &header, sizeof header, 0)) throw Error("not a raw trace: too short");
  if (std::memcmp(header.magic, trace_magic, sizeof header.magic) != 0) {
    throw Error("not a raw trace: its first bytes are others");
  }
  if (header.version == 0 || header.version > trace_version) {
    throw Error("the raw trace has format " + std::to_string(header.version) + ", this tracer reads formats 1 to " +
                std::to_string(trace_version));
  }
  index.run = header.run;
}

}  // namespace

SegmentIndex index_segments(int fd) {
  SegmentIndex index;
  check_file_header(fd, index);
  struct stat info {};
  if (::fstat(fd, &info) != 0) throw Error("cannot inspect the raw trace");
  const auto size = static_cast<std::uint64_t>(info.st_size);
  std::uint64_t at = sizeof(FileHeader);
  HeaderSearch search{fd, size};
  while (at < size) {
    SegmentHeader header{};
    const bool whole = size - at >= sizeof header && read_at(fd, &header, sizeof header, at);
    if (!whole || !is_sound(header) || header.payload_bytes > size - at - sizeof header) {
      const std::uint64_t next = search.next(at + 1);
      if (next == size && is_cut(fd, at, size)) {
        index.cut_bytes = size - at;
      } else {
        index.damage.push_back("trace: " + format_count(next - at) + " bytes at offset " + std::to_string(at) +
                               " are damaged and skipped");
      }
      at = next;
      continue;
    }
    const Segment segment{at + sizeof header, header.position,      header.payload_check, header.first,
                          header.last,        header.payload_bytes, header.records};
    (header.kind == SegmentKind::records ? index.channels[header.channel] : index.device).push_back(segment);
    ++index.segments;
    at += sizeof header + header.payload_bytes;
  }
  index.searched_bytes = search.bytes_read();
  for (auto& [channel, segments] : index.channels) {
    std::stable_sort(segments.begin(), segments.end(),
                     [](const Segment& a, const Segment& b) { return a.position < b.position; });
  }
  return index;
}

}  // namespace tracer::raw
