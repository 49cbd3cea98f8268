// SPDX-License-Identifier: BSD-3-Clause
// Events that belong to a region excluded by a filter, for writing and for reading archives.
#pragma once

#include <span>
#include <vector>

#include "tracer/event.hpp"

namespace tracer {

/// For one location's events, in order. Tasks, teams and locks stay.
class LeftOutEvents {
 public:
  /// Calls keep(event, attributes) for what is not left out: an Enter or Leave whose region `is_left_out` selects, and
  /// the parameters of such a region. They stand behind its Enter. Those that are known only at its end stand right
  /// before its Leave: behind another Leave they are held until that comes.
  template <class IsLeftOut, class Keep>
  void pass(const Event& event, std::span<const EventAttribute> attributes, const IsLeftOut& is_left_out,
            const Keep& keep) {
    if (event.type == EventType::parameter_int || event.type == EventType::parameter_uint ||
        event.type == EventType::parameter_string) {
      if (is_behind_leave_) {
        held_.push_back({event, {attributes.begin(), attributes.end()}});
      } else if (!is_silent_) {
        keep(event, attributes);
      }
      return;
    }
    if (event.type != EventType::enter && event.type != EventType::leave) {
      release(is_silent_, keep);
      return keep(event, attributes);
    }
    const bool is_out = is_left_out(event.ref);
    is_behind_leave_ = event.type == EventType::leave;
    release(is_behind_leave_ ? is_out : is_silent_, keep);
    is_silent_ = is_out;
    if (!is_out) keep(event, attributes);
  }
  /// There are no more events.
  template <class Keep>
  void finish(const Keep& keep) {
    release(is_silent_, keep);
  }

 private:
  struct Held {
    Event event;
    std::vector<EventAttribute> attributes;
  };
  template <class Keep>
  void release(bool is_out, const Keep& keep) {
    if (held_.empty()) [[likely]]
      return;
    for (const Held& held : held_)
      if (!is_out) keep(held.event, std::span<const EventAttribute>(held.attributes));
    held_.clear();
  }

  bool is_silent_ = false;        ///< the last Enter or Leave was left out
  bool is_behind_leave_ = false;  ///< it was a Leave
  std::vector<Held> held_;        ///< parameters behind it
};

}  // namespace tracer
