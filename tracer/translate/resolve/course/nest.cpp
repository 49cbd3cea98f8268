// SPDX-License-Identifier: BSD-3-Clause
// See nest.hpp.
#include "tracer/translate/resolve/course/nest.hpp"

#include <algorithm>
#include <utility>

namespace tracer::translate {

bool Nest::takes_work(Repairs& repairs) const noexcept {
  // A team of a pause has no communicator, and is a team all the same.
  const auto is_in_team = [](const Part& i) {
    return i.parallel && (i.parallel->comm != undefined_ref || (i.parallel->in_pause && !i.parallel->left_out));
  };
  const bool takes = kind != ThreadKind::worker || std::any_of(parts.begin(), parts.end(), is_in_team);
  if (!takes) repairs.note(Repair::worksharing_outside_teams);
  return takes;
}

std::uint64_t Nest::position() const noexcept {
  for (auto i = parts.rbegin(); i != parts.rend(); ++i)
    if (i->parallel && i->parallel->codeptr != 0) return i->parallel->codeptr;
  return 0;
}

void Nest::push(const ImplicitInstance* instance, const ParallelInstance* p, std::size_t open_forks) {
  Ticks last = limit();
  if (p && instance->rank != 0) last = std::min(last, p->limit);
  Part i{instance, p, {}, current, open_forks, last};
  i.task.id = instance->task;
  static_cast<TaskName&>(i.task) = *current;  // without a team of its own it goes on as what is around it
  if (p && p->comm != undefined_ref) static_cast<TaskName&>(i.task) = {p->comm, instance->rank, 0};
  i.task.open = std::move(spare_);
  ++current->encountered;
  parts.push_back(std::move(i));
  current = &parts.back().task;
}

void Nest::pop() {
  Part& i = parts.back();
  current = i.outer;
  --current->encountered;
  if (i.own && !forks.empty()) forks.back().left = true;
  i.task.open.clear();
  spare_ = std::move(i.task.open);
  parts.pop_back();
}

void Nest::replace(TaskState& gone) noexcept {
  TaskState* around = &base;
  for (Part& part : parts) {
    if (part.outer == &gone) {
      part.outer = around;
      ++around->encountered;
    }
    around = &part.task;
  }
  gone.encountered = 0;
  if (current == &gone) current = around;
}

}  // namespace tracer::translate
