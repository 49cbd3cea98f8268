// SPDX-License-Identifier: BSD-3-Clause
// Appends segments to the raw trace.
#include "formats/raw/writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "tracer/base/files/checksum.hpp"
#include "tracer/error.hpp"

namespace tracer::raw {
namespace {

Ticks last_time(std::span<const Record> records) noexcept {
  const auto& last = records.back();
  return last.kind == RecordKind::more && records.size() > 1 ? records[records.size() - 2].time : last.time;
}

}  // namespace

void TraceWriter::create(OwnFile file, RunId run) {
  file_ = std::move(file);
  FileHeader header{};
  std::memcpy(header.magic, trace_magic, sizeof header.magic);
  header.version = format_version;
  header.run = run;
  if (const int error = file_.append(std::as_bytes(std::span(&header, 1)))) {
    throw Error(system_message("cannot write " + file_.path().string(), error));
  }
  buffer_.resize(std::size_t{most_segment_records} * most_record_bytes);
}

int TraceWriter::append(ChannelId channel, std::uint64_t position, std::span<const Record> first,
                        std::span<const Record> second, BeforeReading before_reading) {
  SegmentHeader header{};
  header.kind = SegmentKind::records;
  header.channel = channel;
  header.position = position;
  header.records = static_cast<std::uint32_t>(first.size() + second.size());
  header.first = first.front().time;
  header.last = last_time(second.empty() ? first : second);
  Prediction prediction;
  prediction.time = header.first;
  std::byte* end = buffer_.data();
  for (auto records : {first, second}) {
    constexpr std::size_t part = 64;  // 2 KiB: still in the nearest cache when it is read again
    for (; before_reading && records.size() > part; records = records.subspan(part)) {
      before_reading(records.first(part));
      end = encode(records.first(part), prediction, end);
    }
    if (before_reading) before_reading(records);
    end = encode(records, prediction, end);
  }
  return append(header, {buffer_.data(), end});
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
    if (const int error = append(header, std::as_bytes(part))) return error;
  }
  return 0;
}

int TraceWriter::append(SegmentHeader& header, std::span<const std::byte> payload) {
  header.magic = segment_magic;
  header.sequence = sequence_;
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  header.payload_check = checksum(payload.data(), payload.size());
  header.check = checksum(&header, offsetof(SegmentHeader, check));
  const std::span<const std::byte> parts[] = {std::as_bytes(std::span(&header, 1)), payload};
  const int error = file_.append(parts);
  if (!error) ++sequence_;
  return error;
}

}  // namespace tracer::raw
