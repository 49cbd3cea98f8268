// SPDX-License-Identifier: BSD-3-Clause
// What the parts that write a location share: what was decided, and where events go.
#pragma once

#include "tracer/journal.hpp"
#include "tracer/translate/definitions/vocabulary.hpp"
#include "tracer/translate/resolve/course/channel_view.hpp"
#include "tracer/translate/write/event_buffer.hpp"

namespace tracer::translate {

/// Everything that the writing of one location refers to.
struct WriteContext : ChannelView {
  WriteContext(const Tables& all, const Journal& of_run, const Vocabulary& vocabulary, const ClockFit& fit,
               ChannelId which, LocationWriter& writer)
      : ChannelView(all, fit, which),
        journal(of_run),
        names(vocabulary),
        out(writer, *all.regions, all.channels[which].records, vocabulary[Attribute::message]) {}

  const Journal& journal;
  const Vocabulary& names;
  EventBuffer out;
};

}  // namespace tracer::translate
