// SPDX-License-Identifier: BSD-3-Clause
// See course_events.hpp.
#include "tracer/translate/write/course_events.hpp"

namespace tracer::translate {
namespace {

RegionKey region_of(const ParallelInstance& team) noexcept {
  return {team.codeptr, team.league ? Construct::teams : Construct::parallel, false, 0};
}

}  // namespace

void CourseEvents::forked(std::uint32_t threads, Nanoseconds t) {
  context_.out.add(t, EventType::thread_fork, 0, threads);
}

void CourseEvents::part_begun(const ParallelInstance* team, Nanoseconds t) {
  work_.begin_team();
  if (team == nullptr) return;
  const auto& channels = context_.journal.channels;
  context_.out.attribute(context_.names[Attribute::thread_id],
                         context_.channel < channels.size() ? channels[context_.channel].os_thread_id : 0);
  context_.out.add(t, EventType::team_begin, team->comm);
  regions_.enter(t, region_of(*team));
  marks_.write_errors(t);
}

void CourseEvents::team_ended(Part& part, Nanoseconds t) {
  RegionStack& open = part.task.open;
  regions_.leave_inner(t, open, open.size());
  context_.out.add(t, EventType::team_end, part.parallel->comm);
}

void CourseEvents::team_passed(const ParallelInstance& team, Nanoseconds t) {
  context_.out.add(t, EventType::team_begin, team.comm);
  regions_.pass(t, region_of(team));
  context_.out.add(t, EventType::team_end, team.comm);
}

void CourseEvents::joined(const ParallelInstance& team, Nanoseconds t) {
  if (team.size != 0) context_.out.add(t, EventType::thread_join, 0);
  if (!nest_.is_outside_forked_team()) marks_.write_errors(t);
}

void CourseEvents::task_begun(TaskState& task, const RegionKey& key, Nanoseconds t) {
  const RegionRef region = regions_.region_of(key);
  context_.out.enter(t, region);
  task.open.push({region, Construct::task, false, key.codeptr});
}

}  // namespace tracer::translate
