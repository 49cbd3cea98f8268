// SPDX-License-Identifier: BSD-3-Clause
// Appends segments to the raw trace. One thread at a time.
#pragma once

#include <filesystem>
#include <span>

#include "formats/raw/layout.hpp"
#include "formats/raw/segment_encoder.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/device_record.hpp"

namespace tracer::raw {

class TraceWriter {
 public:
  /// Throws tracer::Error.
  void create(OwnFile file, RunId run);

  /// What the encoder has encoded last. 0, or the errno; then the file is as it was before.
  int append(const SegmentEncoder& segment);
  /// A segment of the records `first` and then `second`, as SegmentEncoder::encode() takes them.
  int append(ChannelId channel, std::uint64_t position, std::span<const Record> first, std::span<const Record> second);
  int append(std::span<const DeviceRecord> records);

  std::uint64_t size() const noexcept { return file_.size(); }
  void close() noexcept { file_.close(); }

 private:
  int append(SegmentHeader header, std::span<const std::byte> payload);

  OwnFile file_;
  std::uint64_t sequence_ = 0;
  SegmentEncoder encoder_;
};

}  // namespace tracer::raw
