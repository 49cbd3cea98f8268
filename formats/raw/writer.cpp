// SPDX-License-Identifier: BSD-3-Clause
// Appends segments to the raw trace.
#include "formats/raw/writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "tracer/base/files/checksum.hpp"
#include "tracer/error.hpp"

namespace tracer::raw {

void TraceWriter::create(OwnFile file, RunId run) {
  file_ = std::move(file);
  encoder_.prepare();  // later there may be no memory
  FileHeader header{};
  std::memcpy(header.magic, trace_magic, sizeof header.magic);
  header.version = trace_version;
  header.run = run;
  if (const int error = file_.append(std::as_bytes(std::span(&header, 1)))) {
    throw Error(system_message("cannot write " + file_.path().string(), error));
  }
}

int TraceWriter::append(ChannelId channel, std::uint64_t position, std::span<const Record> first,
                        std::span<const Record> second) {
  if (!encoder_.prepare()) return ENOMEM;
  encoder_.encode(channel, position, first, second);
  return append(encoder_);
}

int TraceWriter::append(const SegmentEncoder& segment) {
  return append(segment.header(), segment.payload());
}

int TraceWriter::append(std::span<const DeviceRecord> records) {
  constexpr std::size_t most = most_segment_records;
  for (; !records.empty(); records = records.subspan(std::min(most, records.size()))) {
    const auto part = records.first(std::min(most, records.size()));
    SegmentHeader header{};
    header.kind = SegmentKind::device_records;
    header.channel = no_channel;
    header.records = static_cast<std::uint32_t>(part.size());
    header.first = part.front().start;
    header.last = part.back().end;
    header.payload_check = checksum(part.data(), part.size_bytes());
    header.payload_bytes = static_cast<std::uint32_t>(part.size_bytes());
    if (const int error = append(header, std::as_bytes(part))) return error;
  }
  return 0;
}

/// `header` has all but what follows from the segment's place in the file.
int TraceWriter::append(SegmentHeader header, std::span<const std::byte> payload) {
  header.magic = segment_magic;
  header.sequence = sequence_;
  header.check = checksum(&header, offsetof(SegmentHeader, check));
  const std::span<const std::byte> parts[] = {std::as_bytes(std::span(&header, 1)), payload};
  const int error = file_.append(parts);
  if (!error) ++sequence_;
  return error;
}

}  // namespace tracer::raw
