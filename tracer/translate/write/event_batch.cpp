// SPDX-License-Identifier: BSD-3-Clause
// See event_batch.hpp.
#include "tracer/translate/write/event_batch.hpp"

#include <algorithm>

namespace tracer::translate {

EventBatch::EventBatch(LocationWriter& writer, std::uint64_t events) : writer_(writer) {
  make_room(static_cast<std::size_t>(std::min<std::uint64_t>(most, events + 1)));
}

void EventBatch::flush() {
  events_.resize(used());
  if (!events_.empty()) {
    if (flushed_ == 0) first_ = events_.front().time;
    flushed_ += events_.size();
    writer_.take(events_, attributes_);
  }
  attributes_.clear();
  next_ = events_.data();
  make_room(std::max(events_.size(), smallest));
}

void EventBatch::filled() {
  if (used() == most) return flush();
  make_room(std::min(2 * used(), most));
}

void EventBatch::make_room(std::size_t events) {
  const std::size_t before = used();
  events_.resize(events);
  next_ = events_.data() + before;
  end_ = events_.data() + events;
}

}  // namespace tracer::translate
