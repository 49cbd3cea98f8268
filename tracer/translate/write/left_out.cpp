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
    const bool of_region = event.type == EventType::enter || event.type == EventType::leave;
    const bool parameter = event.type == EventType::parameter_int || event.type == EventType::parameter_uint ||
                           event.type == EventType::parameter_string;
    if (of_region) silent_ = event.ref == left_out_region;
    if ((of_region || parameter) && silent_) {
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
