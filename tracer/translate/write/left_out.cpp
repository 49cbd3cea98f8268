// SPDX-License-Identifier: BSD-3-Clause
// See left_out.hpp.
#include "tracer/translate/write/left_out.hpp"

#include <cstddef>

#include "tracer/translate/regions/regions.hpp"

namespace tracer::translate {

void LeftOut::write(std::span<const Event> events, std::span<const EventAttribute> attributes) {
  events_.clear();
  attributes_.clear();
  std::size_t at = 0;  // in attributes
  const auto keep = [this](const Event& event, std::span<const EventAttribute> its) {
    events_.push_back(event);
    attributes_.insert(attributes_.end(), its.begin(), its.end());
  };
  for (const Event& event : events) {
    left_out_.pass(
        event, attributes.subspan(at, event.attributes), [](std::uint32_t region) { return region == left_out_region; },
        keep);
    at += event.attributes;
  }
  dropped_ += events.size() - events_.size();  // what is held counts until it is written
  if (!events_.empty()) next_.write(events_, attributes_);
}

void LeftOut::finish() {
  events_.clear();
  attributes_.clear();
  left_out_.finish([this](const Event& event, std::span<const EventAttribute> its) {
    events_.push_back(event);
    attributes_.insert(attributes_.end(), its.begin(), its.end());
  });
  dropped_ -= events_.size();
  if (!events_.empty()) next_.write(events_, attributes_);
}

}  // namespace tracer::translate
