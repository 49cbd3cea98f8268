// SPDX-License-Identifier: BSD-3-Clause
// See target_events.hpp.
#include "tracer/translate/write/target_events.hpp"

#include <algorithm>
#include <utility>

namespace tracer::translate {

void TargetEvents::target(const Record& r, Nanoseconds t) {
  const RegionKey key = region_key(r);
  EventBuffer& out = context_.out;
  if (r.endpoint == Endpoint::end) {
    for (std::size_t n = open_.size(); n-- > 0;)
      if (open_[n].id == r.b) {
        open_.resize(n);
        break;
      }
    return regions_.leave(t, key.construct);
  }
  out.attribute(context_.names[Attribute::target_id], r.b);
  out.attribute(context_.names[Attribute::device],
                static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(r.a))));
  regions_.enter(t, key);
  out.add(t, EventType::parameter_string, context_.names[Parameter::target_type],
          context_.names.target_types[r.sub < 16 ? r.sub : 0]);
  // The non-EMI callback may come once for the whole construct.
  if (r.endpoint == Endpoint::begin_end || r.endpoint == Endpoint::none) return regions_.leave(t, key.construct);
  open_.push_back({r.b, r.c});
}

void TargetEvents::submit(const Record& r, Nanoseconds t) {
  if (r.endpoint == Endpoint::end) return regions_.leave(t, Construct::target_submit);
  EventBuffer& out = context_.out;
  const bool is_named = r.b != no_id && !context_.tables.excluded.all_devices;
  if (is_named) out.attribute(context_.names[Attribute::host_op_id], r.b);
  out.attribute(context_.names[Attribute::target_id], r.c);
  regions_.enter(t, {open_.empty() ? 0 : open_.back().codeptr, Construct::target_submit, false, 0});
  if (is_named) out.add(t, EventType::parameter_uint, context_.names[Parameter::callsite_id], r.b);
  out.add(t, EventType::parameter_uint, context_.names[Parameter::teams_requested], r.a);
  if (r.endpoint != Endpoint::begin) regions_.leave(t, Construct::target_submit);
}

Record TargetEvents::take_first() noexcept {
  return std::exchange(first_, Record{});
}

void TargetEvents::pair(const Record& first, const Record& more, Nanoseconds t) {
  first.kind == RecordKind::target_map ? map(first, more, t) : data_op(first, more, t);
}

void TargetEvents::map(const Record& r, const Record& more, Nanoseconds t) {
  EventBuffer& out = context_.out;
  out.attribute(context_.names[Attribute::target_id], more.b);
  out.attribute(context_.names[Attribute::map_flags], r.sub);
  out.attribute(context_.names[Attribute::data_bytes], r.c);
  out.attribute(context_.names[Attribute::source_address], r.b);
  out.attribute(context_.names[Attribute::destination_address], more.time);
  regions_.pass(t, {more.c, Construct::target_map, false, 0});
}

/// What the host's memory held at the end of the callback is what was copied: sent, or there when it was hashed.
bool TargetEvents::has_right_content(Construct copy, HostOpId id) const noexcept {
  const auto landed = context_.tables.landed;
  return copy != Construct::data_from_device || std::binary_search(landed.begin(), landed.end(), id);
}

void TargetEvents::data_op(const Record& r, const Record& more, Nanoseconds t) {
  const auto device = [](std::uint32_t half) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int16_t>(half)));
  };
  EventBuffer& out = context_.out;
  const Construct construct = data_op_construct(r.sub);
  if (r.endpoint == Endpoint::end && more.sub != 0 && has_right_content(construct, r.b))
    out.add(t, EventType::parameter_uint, context_.names[Parameter::content_hash], more.c);
  if (r.b != no_id && !context_.tables.excluded.all_devices) out.attribute(context_.names[Attribute::host_op_id], r.b);
  if (r.endpoint == Endpoint::end) {
    // Only the end of an allocation has its address on the device.
    out.attribute(context_.names[Attribute::destination_address], more.b);
    return regions_.leave(t, construct);
  }
  out.attribute(context_.names[Attribute::target_id], open_.empty() ? no_id : open_.back().id);
  out.attribute(context_.names[Attribute::data_bytes], r.c);
  out.attribute(context_.names[Attribute::source_device], device(r.a & 0xffff));
  out.attribute(context_.names[Attribute::source_address], more.time);
  out.attribute(context_.names[Attribute::destination_device], device(r.a >> 16));
  out.attribute(context_.names[Attribute::destination_address], more.b);
  regions_.enter(t, {more.c, construct, false, construct == Construct::data_other ? r.sub : std::uint16_t{0}});
  if (r.endpoint != Endpoint::begin) regions_.leave(t, construct);
}

}  // namespace tracer::translate
