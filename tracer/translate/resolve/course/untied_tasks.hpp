// SPDX-License-Identifier: BSD-3-Clause
// Untied tasks that go on with another thread, and end there: as was decided.
#pragma once

#include <cstddef>

#include "tracer/translate/resolve/plan.hpp"

namespace tracer::translate {

class UntiedTasks {
 public:
  explicit UntiedTasks(const Plan& plan) : plan_(plan) {}

  /// The task leaves this thread at this time, or arrives here. Times are requested in their order.
  bool migrates(Ticks time, TaskId task, bool in);
  /// When another thread reports the end of a task that came here at `from`; never: it does not.
  Ticks unreported_end(TaskId task, Ticks from) const;

 private:
  const Plan& plan_;
  std::size_t next_ = 0;
};

}  // namespace tracer::translate
