// SPDX-License-Identifier: BSD-3-Clause
// A channel whose times go back, as a runtime's never do: a record out of order gets the time of its neighbours.
// Both passes read such a channel in this order, so that what was decided by a time is written at that time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "tracer/repeats.hpp"
#include "tracer/trace_source.hpp"

namespace tracer::translate {

/// Looks at what a reader gives for a record that is older than the one before it.
class WatchedReader final : public RecordReader {
 public:
  explicit WatchedReader(std::unique_ptr<RecordReader> reader) : reader_(std::move(reader)) {}
  std::span<const Record> next() override { return look(reader_->next(), 0); }
  std::span<const Record> next_new(Repeats& repeats) override {
    const auto batch = reader_->next_new(repeats);
    return look(batch, repeats.latest);
  }
  bool goes_back() const noexcept { return goes_back_; }

 private:
  std::span<const Record> look(std::span<const Record> batch, Ticks skipped) noexcept;

  std::unique_ptr<RecordReader> reader_;
  Ticks last_ = 0, skipped_ = 0;
  bool goes_back_ = false;
};

/// The records with times that never go back. Times of records that are written later than their event stay.
std::unique_ptr<RecordReader> in_order(std::unique_ptr<RecordReader> reader);

}  // namespace tracer::translate
