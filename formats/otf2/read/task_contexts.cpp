// SPDX-License-Identifier: BSD-3-Clause
// See task_contexts.hpp.
#include "formats/otf2/read/task_contexts.hpp"

namespace tracer::otf2 {

TaskContexts::TaskContexts(const TraceDefinitions& definitions, const ContextTree& tree) : tree_(tree) {
  for (const LocationDef& location : definitions.locations) index_.emplace(location.ref, index_.size());
  locations_.resize(index_.size());
}

/// `top`: of the task that was current. A new task begins in it, as on a stack; one that goes on is where it was.
void TaskContexts::resume(Location& at, std::uint32_t top) {
  Task& task = at.current();
  if (!task.begun) {
    task.begun = true;
    task.base = task.last = top;
  } else if (!tree_.is_on_way(task.top(), at.previous)) {
    at.previous = task.last;
  }
}

void TaskContexts::follow(const EventView& event) {
  Location& at = locations_[index_of(event.location)];
  const std::uint32_t top = at.current().top();
  const Key key{event.field[0], event.field[1], event.field[2]};
  switch (event.kind) {
    case EventKind::thread_team_begin:
      at.suspended.push_back(at.explicit_task);
      at.explicit_task = nullptr;
      at.implicit.emplace_back();
      return resume(at, top);
    case EventKind::thread_team_end:
      if (at.implicit.size() < 2) return;
      at.implicit.pop_back();
      at.explicit_task = at.suspended.back();
      at.suspended.pop_back();
      return resume(at, top);
    case EventKind::thread_task_switch:
      at.explicit_task = nullptr;
      if (event.field[2] != 0) {
        std::shared_ptr<Task>& task = tasks_[key];
        if (task == nullptr) task = std::make_shared<Task>();
        at.explicit_task = task;
      }
      return resume(at, top);
    case EventKind::thread_task_complete:
      if (const auto done = tasks_.find(key); done != tasks_.end()) {
        if (at.explicit_task == done->second) at.explicit_task = nullptr;
        tasks_.erase(done);
      }
      return;
    default:
      return;
  }
}

}  // namespace tracer::otf2
