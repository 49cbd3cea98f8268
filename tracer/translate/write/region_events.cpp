// SPDX-License-Identifier: BSD-3-Clause
// See region_events.hpp.
#include "tracer/translate/write/region_events.hpp"

namespace tracer::translate {

std::uint64_t RegionEvents::surrounding_position() const {
  if (nest_.current->generation != 0)
    if (const std::uint64_t position = task_names_.region(nest_.current->id).codeptr; position != 0) return position;
  return nest_.position();
}

RegionRef RegionEvents::region_of(RegionKey key) {
  if (key.codeptr == 0 && wants_position(key.construct)) [[unlikely]]
    key.codeptr = surrounding_position();
  if (context_.out.paused()) [[unlikely]]
    return context_.tables.regions->defer(key);
  CachedRegion& cached = cache_[key.hash() & (cache_.size() - 1)];
  if (cached.region == undefined_ref || !(cached.key == key)) cached = {key, context_.tables.regions->use(key)};
  return cached.region;
}

}  // namespace tracer::translate
