// SPDX-License-Identifier: BSD-3-Clause
// See task_names.hpp.
#include "tracer/translate/resolve/course/task_names.hpp"

namespace tracer::translate {

TaskNames::Task TaskNames::look_up(TaskId id) const {
  Task task{id, {}, {}};
  TaskName& name = task.name;
  name.generation = counter_of(id);
  const ChannelId creator = tracer::channel_of(id);
  const auto entity = tables_.entity(id);
  if (!entity) return task;
  const Creator& known = creator_of(creator, entity->index);
  name.comm = known.comm;
  name.rank = known.rank;
  // Created before what generations count from (a wrong sequence): no number that any other has.
  name.generation += known.before < name.generation ? -known.before : std::uint64_t{1} << 31;
  const auto& sites = tables_.channels[creator].sites;
  if (entity->site < sites.size()) task.region = sites[entity->site];
  return task;
}

// Tasks come by the thousand from the same part in the same team.
const TaskNames::Creator& TaskNames::creator_of(ChannelId channel, std::uint32_t index) const {
  Creator& known = creators_[channel % creators_.size()];
  if (known.channel == channel && known.index == index) [[likely]]
    return known;
  const auto& implicits = tables_.channels[channel].implicits;
  known = {channel, index, tables_.root_comm[channel], 0, 0};
  const ImplicitInstance* const part = tables_.part_of(channel, index);
  if (part) {
    known.comm = tables_.parallel(part->parallel)->comm;
    known.rank = part->rank;
  }
  const ImplicitInstance* const counts = part                                              ? part
                                         : !implicits.empty() && implicits.front().initial ? &implicits.front()
                                                                                           : nullptr;
  if (counts && tracer::channel_of(counts->task) == channel) known.before = counter_of(counts->task);
  return known;
}

}  // namespace tracer::translate
