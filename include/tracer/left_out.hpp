// SPDX-License-Identifier: BSD-3-Clause
// What goes with a region that a filter leaves out: where the archive is written, and where one is read.
#pragma once

#include "tracer/event.hpp"

namespace tracer {

/// Of one location's events, in their order. Tasks, teams and locks stay.
class LeftOutEvents {
 public:
  /// Whether the event goes: an Enter or Leave of which `is_left_out` says so by its region, and the parameters behind.
  template <class IsLeftOut>
  bool has(const Event& event, const IsLeftOut& is_left_out) {
    switch (event.type) {
      case EventType::enter:
      case EventType::leave:
        silent_ = is_left_out(event.ref);
        return silent_;
      case EventType::parameter_int:
      case EventType::parameter_uint:
      case EventType::parameter_string:
        return silent_;
      default:
        return false;
    }
  }

 private:
  bool silent_ = false;  ///< the last Enter or Leave went
};

}  // namespace tracer
