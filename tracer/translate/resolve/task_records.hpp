// SPDX-License-Identifier: BSD-3-Clause
// A further reading of all channels, for what the scan does not keep of tasks.
#pragma once

#include <cstddef>

#include "tracer/trace_source.hpp"
#include "tracer/translate/parallel_for.hpp"
#include "tracer/translate/resolve/tables.hpp"
#include "tracer/translate/scan/task_counter.hpp"

namespace tracer::translate {

/// Calls `body` with channel, record and the task that the record creates, or no_id: each channel's records
/// in their order, the channels on several threads.
template <class Body>
void for_each_record(const TraceSource& source, const Tables& tables, unsigned threads, const Body& body) {
  parallel_for(tables.channels.size(), threads, [&](std::size_t c) {
    const auto channel = static_cast<ChannelId>(c);
    const auto reader = source.records(channel);
    TaskCounter counter(tables.channels[c].counter_near);
    for (auto batch = reader->next(); !batch.empty(); batch = reader->next())
      for (const Record& r : batch)
        body(channel, r, r.kind == RecordKind::task_create ? make_id(channel, counter.extend(r.a)) : no_id);
  });
}

}  // namespace tracer::translate
