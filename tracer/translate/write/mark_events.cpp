// SPDX-License-Identifier: BSD-3-Clause
// See mark_events.hpp.
#include "tracer/translate/write/mark_events.hpp"

#include <utility>

#include "tracer/ompt_values.hpp"

namespace tracer::translate {

void MarkEvents::control_tool(const Record& r, Nanoseconds t) {
  switch (r.b) {
    case control_command::start:
    case control_command::pause:
    case control_command::flush:
    case control_command::end:
      return;
    case command_begin_phase:
      return regions_.enter(t, {r.a, Construct::phase, false, 0});
    case command_end_phase:
      return regions_.leave(t, Construct::phase);
    default:
      context_.out.attribute(context_.names[Attribute::control_command], r.b);
      context_.out.attribute(context_.names[Attribute::control_modifier], r.sub);
      return regions_.pass(t, region_key(r));
  }
}

// The task itself ended when it was detached.
void MarkEvents::fulfilled(const Record& r, Nanoseconds t) {
  context_.out.attribute(context_.names[Attribute::task_id], r.b);
  regions_.pass(t, {0, Construct::fulfill_event, false, 0});
}

void MarkEvents::write_errors(Nanoseconds t) {
  for (const Record& r : std::exchange(errors_, {})) mark(r, t);
}

void MarkEvents::mark(const Record& r, Nanoseconds t) {
  if (r.kind == RecordKind::error && nest_.is_outside_forked_team()) return errors_.push_back(r);
  EventBuffer& out = context_.out;
  switch (r.kind) {
    case RecordKind::cancel:
      out.attribute(context_.names[Attribute::task_id], r.b);
      out.attribute(context_.names[Attribute::cancel_flags], r.a);
      break;
    case RecordKind::error: {
      out.attribute(context_.names[Attribute::severity], r.sub);
      const auto text = context_.names.messages.find(r.a);
      if (text != context_.names.messages.end()) out.attribute(context_.names[Attribute::message], text->second);
      break;
    }
    case RecordKind::task_dependence:
      out.attribute(context_.names[Attribute::source_task_id], r.b);
      out.attribute(context_.names[Attribute::sink_task_id], r.c != no_id ? r.c : creation_.waiting());
      break;
    case RecordKind::lost:
      out.attribute(context_.names[Attribute::lost_events], r.b);
      out.enter(context_.clock(r.c), regions_.region_of(region_key(r)));
      return out.leave(t, regions_.region_of(region_key(r)));
    default:
      break;
  }
  regions_.pass(t, region_key(r));
}

}  // namespace tracer::translate
