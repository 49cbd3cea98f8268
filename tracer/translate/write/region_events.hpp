// SPDX-License-Identifier: BSD-3-Clause
// Enter and Leave in the current task, by what a record has of the region.
#pragma once

#include <array>

#include "tracer/translate/regions/regions.hpp"
#include "tracer/translate/resolve/course/nest.hpp"
#include "tracer/translate/resolve/course/task_names.hpp"
#include "tracer/translate/write/context.hpp"

namespace tracer::translate {

/// region_key() of records that look alike, and its region once it was requested.
struct Site {
  RegionKey key;
  RegionRef region = undefined_ref;
};

class RegionEvents {
 public:
  RegionEvents(WriteContext& context, Nest& nest, const TaskNames& names)
      : context_(context), nest_(nest), task_names_(names) {}

  RegionRef region_of(RegionKey key);
  Site& site_of(const Record& r) {
    auto& known = sites_.at(r);
    if (!known.holds(r)) [[unlikely]]
      known.set(r, {region_key(r), undefined_ref});
    return known.value;
  }
  /// The site's region, which is in the archive from now on.
  RegionRef region_at(Site& site) {
    if (site.region != undefined_ref) [[likely]]
      return site.region;
    const RegionRef region = region_of(site.key);
    // Without a position it depends on what is around it; a deferred reference is not for keeps.
    if (site.key.codeptr != 0 && !RegionTable::is_deferred(region)) site.region = region;
    return region;
  }

  void enter_at(Nanoseconds t, Site& site) {
    const RegionRef region = region_at(site);
    context_.out.enter(t, region);
    nest_.current->open.push({region, site.key.construct, site.key.wait, site.key.codeptr});
  }
  void enter(Nanoseconds t, const RegionKey& key) {
    Site site{key, undefined_ref};
    enter_at(t, site);
  }
  /// What the end of the construct ends, if anything.
  void leave(Nanoseconds t, Construct construct, bool wait = false) {
    RegionStack& open = nest_.current->open;
    const std::size_t regions = open.ended_by(context_.repairs, construct, wait);
    if (regions == 0) [[unlikely]]
      return context_.out.forget_attributes();
    leave_inner(t, open, regions);
  }
  /// So many, from the innermost on.
  void leave_inner(Nanoseconds t, RegionStack& open, std::size_t regions) {
    for (; regions != 0; --regions) {
      context_.out.leave(t, open.inner().region);
      open.pop();
    }
  }
  /// Of no length.
  void pass(Nanoseconds t, const RegionKey& key) { pass_at(t, region_of(key)); }
  void pass_at(Nanoseconds t, RegionRef region) {
    context_.out.enter(t, region);
    context_.out.leave(t, region);
  }

 private:
  std::uint64_t surrounding_position() const;
  struct CachedRegion {
    RegionKey key;
    RegionRef region = undefined_ref;
  };

  WriteContext& context_;
  Nest& nest_;
  const TaskNames& task_names_;
  std::array<CachedRegion, 64> cache_{};
  SiteCache<Site> sites_;
};

}  // namespace tracer::translate
