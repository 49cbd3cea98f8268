// SPDX-License-Identifier: BSD-3-Clause
// See paused_tasks.hpp.
#include "tracer/translate/resolve/paused_tasks.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "tracer/ompt_values.hpp"
#include "tracer/translate/resolve/resolve.hpp"

namespace tracer::translate {
namespace {

/// The task that ends with the record; no_id: none.
TaskId ended_by(const Record& r) noexcept {
  if (r.kind == RecordKind::cancel) return (r.a & cancel_flag::discarded_task) != 0 ? r.b : no_id;
  return r.kind == RecordKind::task_schedule && task_status::ends_task(r.sub) ? r.b : no_id;
}

}  // namespace

PausedTasks::PausedTasks(const Tables& tables) : tables_(tables) {
  if (tables.toggles.empty()) return;
  for (const ChannelScan& scan : tables.channels) lives_.push_back(std::make_unique<Life[]>(scan.entities.rows()));
}

PausedTasks::Life* PausedTasks::life(TaskId id) const noexcept {
  return limit_of(tables_, id) != 0 ? &lives_[tracer::channel_of(id)][tables_.row(id)] : nullptr;
}

void PausedTasks::take(const Record& r, TaskId created) noexcept {
  if (lives_.empty()) return;
  const TaskId ended = created == no_id ? ended_by(r) : no_id;
  if (created == no_id && ended == no_id) return;
  const auto pause = static_cast<std::uint32_t>(tables_.pause_at(r.time));
  if (pause == 0) return;
  Life* const its = life(created != no_id ? created : ended);
  if (its != nullptr) (created != no_id ? its->created : its->ended).store(pause, std::memory_order_relaxed);
}

bool PausedTasks::are_there() const {
  for (std::size_t c = 0; c < lives_.size(); ++c)
    if (std::any_of(lives_[c].get(), lives_[c].get() + tables_.channels[c].entities.rows(),
                    [](const Life& its) { return its.is_in_one_pause(); }))
      return true;
  return false;
}

void PausedTasks::leave_out(Tables& tables) const {
  for (std::size_t c = 0; c < lives_.size(); ++c)
    for (std::size_t row = 0; row < tables.task_begins[c].size(); ++row)
      if (lives_[c][row].is_in_one_pause()) tables.task_begins[c][row] = 0;
  for (Plan& plan : tables.plans) {
    std::erase_if(plan.migrations, [&](const Migration& m) { return tables.begins_at(m.task, 0); });
    std::erase_if(plan.unreported_ends, [&](const UnreportedEnd& e) { return tables.begins_at(e.task, 0); });
  }
}

}  // namespace tracer::translate
