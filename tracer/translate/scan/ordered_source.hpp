// SPDX-License-Identifier: BSD-3-Clause
// A trace whose channels are read in the order of their times, also those whose times go back.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tracer/trace_source.hpp"
#include "tracer/translate/scan/ordered_records.hpp"

namespace tracer::translate {

/// Of a thread that recorded nothing.
class NoRecords final : public RecordReader {
 public:
  std::span<const Record> next() override { return {}; }
};

class OrderedSource final : public TraceSource {
 public:
  explicit OrderedSource(const TraceSource& source) : source_(source), goes_back_(source.journal().channels.size()) {}
  const Journal& journal() const override { return source_.journal(); }
  std::unique_ptr<RecordReader> records(ChannelId channel) const override {
    if (channel >= goes_back_.size()) return std::make_unique<NoRecords>();
    auto reader = source_.records(channel);
    return goes_back_[channel] != 0 ? in_order(std::move(reader)) : std::move(reader);
  }
  std::unique_ptr<DeviceReader> device_records() const override { return source_.device_records(); }
  /// Times of the channel go back. Each channel by one thread.
  void put_in_order(ChannelId channel) noexcept { goes_back_[channel] = 1; }

 private:
  const TraceSource& source_;
  std::vector<char> goes_back_;
};

}  // namespace tracer::translate
