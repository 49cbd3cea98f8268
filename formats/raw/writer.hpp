// SPDX-License-Identifier: BSD-3-Clause
// Appends segments to the raw trace. One thread at a time.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "formats/raw/codec.hpp"
#include "formats/raw/layout.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/device_record.hpp"

namespace tracer::raw {

class TraceWriter {
 public:
  /// Throws tracer::Error.
  void create(OwnFile file, RunId run);

  /// A segment of the records `first` and then `second`, at most most_segment_records together, which begin at
  /// `position` of their channel. 0, or the errno; then the file is as it was before. `before_reading` is called for
  /// each part of the records just before they are read.
  using BeforeReading = void (*)(std::span<const Record>) noexcept;
  int append(ChannelId channel, std::uint64_t position, std::span<const Record> first, std::span<const Record> second,
             BeforeReading before_reading = nullptr);
  int append(std::span<const DeviceRecord> records);

  std::uint64_t size() const noexcept { return file_.size(); }
  void close() noexcept { file_.close(); }

 private:
  int append(SegmentHeader& header, std::span<const std::byte> payload);

  OwnFile file_;
  std::uint64_t sequence_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace tracer::raw
