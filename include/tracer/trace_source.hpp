// SPDX-License-Identifier: BSD-3-Clause
// The translator's input: a raw trace on disk, or records of a test.
#pragma once

#include <memory>
#include <span>

#include "tracer/device_record.hpp"
#include "tracer/journal.hpp"
#include "tracer/record.hpp"

namespace tracer {

struct Repeats;  // repeats.hpp

/// A channel's records in the order in which they were written. Not thread-safe.
class RecordReader {
 public:
  virtual ~RecordReader() = default;
  /// The next batch; empty at the end. Valid until the next call. A `more` record is never the
  /// first of a batch. Throws tracer::Error on damaged input that cannot be skipped.
  virtual std::span<const Record> next() = 0;
  /// As next(), but may skip the records that `repeats` selects. The otherwise unused `a` of a mutex_released is then
  /// its distance in ticks from the channel's previous record, returned or not; 0: unknown.
  virtual std::span<const Record> next_new(Repeats& repeats) {
    (void)repeats;
    return next();
  }
};

/// One run's records and journal. Several threads may call the const members at once; each channel can be
/// read more than once.
class TraceSource {
 public:
  virtual ~TraceSource() = default;
  virtual const Journal& journal() const = 0;
  virtual std::unique_ptr<RecordReader> records(ChannelId channel) const = 0;
  /// Device records in the order of arrival, in batches; `next` returns empty at the end.
  class DeviceReader {
   public:
    virtual ~DeviceReader() = default;
    virtual std::span<const DeviceRecord> next() = 0;
  };
  virtual std::unique_ptr<DeviceReader> device_records() const = 0;
};

}  // namespace tracer
