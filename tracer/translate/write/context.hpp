// SPDX-License-Identifier: BSD-3-Clause
// What the parts that write a location share: what was decided, where events go, and the count of what is put right.
#pragma once

#include "tracer/journal.hpp"
#include "tracer/translate/clock_fit.hpp"
#include "tracer/translate/definitions/vocabulary.hpp"
#include "tracer/translate/repairs.hpp"
#include "tracer/translate/resolve/tables.hpp"
#include "tracer/translate/write/event_buffer.hpp"

namespace tracer::translate {

/// Everything that the writing of one location refers to.
struct Context {
  Context(const Tables& all, const Journal& of_run, const Vocabulary& vocabulary, const ClockFit& fit, ChannelId which,
          LocationWriter& writer)
      : tables(all),
        journal(of_run),
        names(vocabulary),
        clock(fit),
        channel(which),
        out(writer, *all.regions, all.channels[which].records, vocabulary[Attribute::message]) {}

  const ChannelScan& scan() const noexcept { return tables.channels[channel]; }
  const Plan& plan() const noexcept { return tables.plans[channel]; }
  void note(Repair repair) noexcept { repairs.note(repair); }

  const Tables& tables;
  const Journal& journal;
  const Vocabulary& names;
  const ClockFit& clock;
  const ChannelId channel;
  EventBuffer out;
  Repairs repairs;
};

}  // namespace tracer::translate
