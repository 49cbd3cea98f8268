// SPDX-License-Identifier: BSD-3-Clause
// See work_events.hpp.
#include "tracer/translate/write/work_events.hpp"

#include "tracer/ompt_values.hpp"

namespace tracer::translate {

// A taskgroup's wait is reported at its last line, the waiting stands where its region does. A
// reduction comes without a position right after its loop.
std::uint64_t WorkEvents::better_position(const RegionKey& key) const {
  const RegionStack& open = nest_.current->open;
  if (key.wait && open.inner_construct() == key.construct) return open.inner().codeptr;
  if (key.construct == Construct::reduction && key.codeptr == 0) return loop_;
  return key.codeptr;
}

// GCC's code does not report the end of `single`. A barrier and another worksharing construct cannot be inside of it.
void WorkEvents::end_single(Nanoseconds t) {
  if (nest_.current->open.inner_construct() != Construct::single_sblock) [[likely]]
    return;
  regions_.leave(t, Construct::single_sblock);
  regions_.leave(t, Construct::single);
}

Site* WorkEvents::sync(const Record& r, Nanoseconds t) {
  Site& site = regions_.site_of(r);
  switch (r.endpoint) {
    case Endpoint::begin:
      if (is_barrier(site.key.construct)) end_single(t);
      if (const std::uint64_t position = better_position(site.key); position != site.key.codeptr) [[unlikely]] {
        regions_.enter(t, {position, site.key.construct, site.key.wait, site.key.extra});
        return nullptr;
      }
      regions_.enter_at(t, site);
      return &site;
    case Endpoint::begin_end:
      regions_.pass_at(t, regions_.region_at(site));
      return nullptr;
    default:
      regions_.leave(t, site.key.construct, site.key.wait);
      return &site;
  }
}

void WorkEvents::end_work(const Record& r, Nanoseconds t, Construct construct) {
  const Construct inner = nest_.current->open.inner_construct();
  if (inner == Construct::section || inner == Construct::loop_chunk ||
      (r.sub == work_type::single_executor && inner == Construct::single_sblock))
    regions_.leave(t, inner);
  if (r.a != 0 && construct == Construct::for_loop && nest_.current->open.inner_construct() == construct)
    context_.out.add(t, EventType::parameter_uint, context_.names[Parameter::chunks], r.a);
  // Flang's `distribute` ends as a static loop (libomp to 22).
  if (construct == Construct::for_loop && inner == Construct::distribute) return regions_.leave(t, inner);
  regions_.leave(t, construct);
}

void WorkEvents::work(const Record& r, Nanoseconds t) {
  Site& site = regions_.site_of(r);
  const RegionKey& key = site.key;
  const bool executor = r.sub == work_type::single_executor;
  if (r.endpoint == Endpoint::end) return end_work(r, t, key.construct);
  if (!nest_.takes_work(context_.repairs)) return;
  if (key.construct != Construct::taskloop) end_single(t);
  if (schedule_name(r.sub) || r.sub == work_type::distribute) loop_ = r.c;
  if (r.sub == work_type::sections) sections_ = r.c;
  regions_.enter_at(t, site);
  if (schedule_name(r.sub)) {
    context_.out.add(t, EventType::parameter_string, context_.names[Parameter::schedule],
                     context_.names.schedules[r.sub]);
    context_.out.add(t, EventType::parameter_uint, context_.names[Parameter::iterations], r.b);
  }
  if (executor || r.sub == work_type::single_other) count_single(r.c, executor);
  if (executor) regions_.enter(t, {r.c, Construct::single_sblock, false, 0});
  if (r.endpoint == Endpoint::begin_end) {
    if (executor) regions_.leave(t, Construct::single_sblock);
    regions_.leave(t, key.construct);
  }
}

void WorkEvents::count_single(std::uint64_t codeptr, bool executor) noexcept {
  const Part* const part = nest_.parts.empty() ? nullptr : &nest_.parts.back();
  // A team of a pause has no members in the archive.
  if (part == nullptr || part->parallel == nullptr || part->parallel->comm == undefined_ref) return;
  const std::uint64_t position = codeptr * 0x9e3779b97f4a7c15u;
  context_.balance.singles += executor ? position * (part->parallel->size - 1) : -position;
}

void WorkEvents::section(const Record& r, Nanoseconds t) {
  const RegionStack& open = nest_.current->open;
  // libomp (17 on) reports this once to every thread of a statically scheduled `sections`, whether it has
  // a section to execute or not, with the address of the construct instead of a section's.
  if (r.b == sections_) return;
  if (!open.takes_section(context_.repairs)) return;
  if (open.inner_construct() == Construct::section) regions_.leave(t, Construct::section);
  regions_.enter(t, {r.b, Construct::section, false, 0});
}

void WorkEvents::dispatch(const Record& r, Nanoseconds t) {
  if (r.sub == dispatch_kind::section) return section(r, t);
  const Construct inner = nest_.current->open.inner_construct();
  if (r.sub == dispatch_kind::loop_chunk || r.sub == dispatch_kind::distribute_chunk) {
    if (inner == Construct::loop_chunk) regions_.leave(t, inner);
    regions_.enter(t, {loop_, Construct::loop_chunk, false, 0});
  } else if (r.sub != dispatch_kind::taskloop_chunk || inner != Construct::task) {
    return;
  }
  context_.out.add(t, EventType::parameter_uint, context_.names[Parameter::first_iteration], r.b);
  context_.out.add(t, EventType::parameter_uint, context_.names[Parameter::chunk_size], r.c);
}

}  // namespace tracer::translate
