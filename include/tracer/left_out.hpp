// SPDX-License-Identifier: BSD-3-Clause
// Events that belong to a region excluded by a filter, for writing and for reading archives.
#pragma once

#include "tracer/event.hpp"

namespace tracer {

/// For one location's events, in order. Tasks, teams and locks stay.
class LeftOutEvents {
 public:
  /// Whether to leave the event out: an Enter or Leave whose region `is_left_out` selects, and the parameters after it.
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
  bool silent_ = false;  ///< the last Enter or Leave was left out
};

}  // namespace tracer
