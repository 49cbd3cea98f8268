// SPDX-License-Identifier: BSD-3-Clause
// See left_out.hpp.
#include "tracer/translate/write/left_out.hpp"

#include <cstddef>
#include <functional>

#include "tracer/translate/regions/regions.hpp"

namespace tracer::translate {

void LeftOut::write(std::span<const Event> events, std::span<const EventAttribute> attributes) {
  std::size_t at = 0;  // in attributes
  for (const Event& event : events) {
    left_out_.pass(
        event, attributes.subspan(at, event.attributes), [](std::uint32_t region) { return region == left_out_region; },
        std::ref(kept_));
    at += event.attributes;
  }
  write_kept(events.size());
}

void LeftOut::finish() {
  left_out_.finish(std::ref(kept_));
  write_kept(0);
}

void LeftOut::write_kept(std::size_t given) {
  dropped_ += given - kept_.events.size();  // what is held counts until it is written
  if (!kept_.events.empty()) next_.write(kept_.events, kept_.attributes);
  kept_.events.clear();
  kept_.attributes.clear();
}

}  // namespace tracer::translate
