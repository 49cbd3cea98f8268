// SPDX-License-Identifier: BSD-3-Clause
// See left_out.hpp.
#include "tracer/translate/write/left_out.hpp"

#include "tracer/translate/regions/regions.hpp"

namespace tracer::translate {

void LeftOut::write(std::span<const Event> events, std::span<const EventAttribute> attributes) {
  events_.clear();
  attributes_.clear();
  std::size_t at = 0;  // in attributes
  for (const Event& event : events) {
    if (left_out_.has(event, [](std::uint32_t region) { return region == left_out_region; })) {
      ++dropped_;
    } else {
      events_.push_back(event);
      attributes_.insert(attributes_.end(), attributes.begin() + static_cast<std::ptrdiff_t>(at),
                         attributes.begin() + static_cast<std::ptrdiff_t>(at + event.attributes));
    }
    at += event.attributes;
  }
  if (!events_.empty()) next_.write(events_, attributes_);
}

}  // namespace tracer::translate
