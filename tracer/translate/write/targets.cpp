// SPDX-License-Identifier: BSD-3-Clause
// The host's side of target constructs; what the device did is on its own locations.
#include "tracer/translate/write/location_translator.hpp"

namespace tracer::translate {

void LocationTranslator::target(const Record& r, Nanoseconds t) {
  const RegionKey key = region_key(r);
  if (r.endpoint == Endpoint::end) {
    for (std::size_t n = targets_.size(); n-- > 0;)
      if (targets_[n].id == r.b) {
        targets_.resize(n);
        break;
      }
    return leave(t, key.construct);
  }
  out_.attribute(names_[Attribute::target_id], r.b);
  out_.attribute(names_[Attribute::device],
                 static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(r.a))));
  enter(t, key);
  out_.add(t, EventType::parameter_string, names_[Parameter::target_type], names_.target_types[r.sub < 16 ? r.sub : 0]);
  // The non-EMI callback may come once for the whole construct.
  if (r.endpoint == Endpoint::begin_end || r.endpoint == Endpoint::none) return leave(t, key.construct);
  targets_.push_back({r.b, r.c});
}

void LocationTranslator::target_submit(const Record& r, Nanoseconds t) {
  if (r.endpoint == Endpoint::end) return leave(t, Construct::target_submit);
  if (r.b != no_id) out_.attribute(names_[Attribute::host_op_id], r.b);
  out_.attribute(names_[Attribute::target_id], r.c);
  enter(t, {targets_.empty() ? 0 : targets_.back().codeptr, Construct::target_submit, false, 0});
  if (r.b != no_id) out_.add(t, EventType::parameter_uint, names_[Parameter::callsite_id], r.b);
  out_.add(t, EventType::parameter_uint, names_[Parameter::teams_requested], r.a);
  if (r.endpoint != Endpoint::begin) leave(t, Construct::target_submit);
}

void LocationTranslator::data_op(const Record& r, const Record& more, Nanoseconds t) {
  const auto device = [](std::uint32_t half) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int16_t>(half)));
  };
  if (r.kind == RecordKind::target_map) {
    out_.attribute(names_[Attribute::target_id], more.b);
    out_.attribute(names_[Attribute::map_flags], r.sub);
    out_.attribute(names_[Attribute::data_bytes], r.c);
    out_.attribute(names_[Attribute::source_address], r.b);
    out_.attribute(names_[Attribute::destination_address], more.time);
    return pass(t, {more.c, Construct::target_map, false, 0});
  }
  const Construct construct = data_op_construct(r.sub);
  if (r.b != no_id) out_.attribute(names_[Attribute::host_op_id], r.b);
  if (r.endpoint == Endpoint::end) {
    // An allocation's address on the device is known at its end only.
    out_.attribute(names_[Attribute::destination_address], more.b);
    return leave(t, construct);
  }
  out_.attribute(names_[Attribute::target_id], targets_.empty() ? no_id : targets_.back().id);
  out_.attribute(names_[Attribute::data_bytes], r.c);
  out_.attribute(names_[Attribute::source_device], device(r.a & 0xffff));
  out_.attribute(names_[Attribute::source_address], more.time);
  out_.attribute(names_[Attribute::destination_device], device(r.a >> 16));
  out_.attribute(names_[Attribute::destination_address], more.b);
  enter(t, {more.c, construct, false, construct == Construct::data_other ? r.sub : std::uint16_t{0}});
  if (r.endpoint != Endpoint::begin) leave(t, construct);
}

}  // namespace tracer::translate
