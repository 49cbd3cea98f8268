// SPDX-License-Identifier: BSD-3-Clause
// See ordered_records.hpp.
#include "tracer/translate/scan/ordered_records.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tracer::translate {
namespace {

/// Written by the runtime's callbacks, at the time that they contain. Front ends may write of an earlier one, and waits
/// for the drainer are written when they are over.
constexpr bool is_of_its_moment(RecordKind kind) noexcept {
  return kind >= RecordKind::thread_begin && kind <= RecordKind::device_unload;
}

class Ordered final : public RecordReader {
 public:
  explicit Ordered(std::unique_ptr<RecordReader> reader) : reader_(std::move(reader)) {}

  std::span<const Record> next() override {
    const auto batch = reader_->next();
    records_.assign(batch.begin(), batch.end());
    Record* before = nullptr;  // the last one of its moment in this batch, which may have gone ahead
    Ticks least = last_;       // of what was before that
    for (Record& record : records_) {
      if (!is_of_its_moment(record.kind)) continue;
      if (before != nullptr && record.time < before->time && record.time >= least) before->time = record.time;
      if (before != nullptr) least = before->time;
      record.time = std::max(record.time, least);
      before = &record;
    }
    if (before != nullptr) last_ = before->time;
    return records_;
  }

 private:
  std::unique_ptr<RecordReader> reader_;
  std::vector<Record> records_;
  Ticks last_ = 0;
};

}  // namespace

std::span<const Record> WatchedReader::look(std::span<const Record> batch, Ticks skipped) noexcept {
  // What was skipped before was older than what is returned now.
  const Ticks latest = std::exchange(skipped_, skipped);
  if (!batch.empty()) last_ = std::max(last_, latest);
  for (const Record& record : batch) {
    if (!is_of_its_moment(record.kind)) continue;
    goes_back_ |= record.time < last_;
    last_ = std::max(last_, record.time);
  }
  return batch;
}

std::unique_ptr<RecordReader> in_order(std::unique_ptr<RecordReader> reader) {
  return std::make_unique<Ordered>(std::move(reader));
}

}  // namespace tracer::translate
