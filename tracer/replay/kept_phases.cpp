// SPDX-License-Identifier: BSD-3-Clause
// See kept_phases.hpp.
#include "tracer/replay/kept_phases.hpp"

#include <fnmatch.h>

#include <algorithm>

#include "tracer/property_names.hpp"
#include "tracer/timeline.hpp"

namespace tracer::report {

bool matches_phase(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
}

std::vector<bool> phases_kept(const Definitions& definitions) {
  std::vector<bool> kept;
  for (const Property& property : definitions.properties) {
    if (property.name != properties::filter) continue;
    for (std::size_t at = 0; at < property.value.size();) {
      const std::size_t end = std::min(property.value.find("; ", at), property.value.size());
      const std::string_view one = std::string_view{property.value}.substr(at, end - at);
      at = end + 2;
      if (!one.starts_with(phase_rule)) continue;
      for (std::size_t i = 0; i < definitions.regions.size(); ++i) {
        const Region& region = definitions.regions[i];
        if (!is_phase(region) || !matches_phase(std::string{one.substr(phase_rule.size())}, region.name)) continue;
        kept.resize(definitions.regions.size());
        kept[i] = true;
      }
    }
  }
  return kept;
}

}  // namespace tracer::report
