// SPDX-License-Identifier: BSD-3-Clause
// Regions by their names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tracer/timeline.hpp"
#include "tracer/view/api.hpp"

namespace tracer::view {

/// How many names a trace has on the page: slice_names(), and the one of regions that are not defined.
inline std::uint32_t names_of(const Definitions& definitions) {
  return static_cast<std::uint32_t>(definitions.regions.size()) + names_beyond_regions + 1;
}

/// The number of a region's name on the page.
inline std::uint32_t name_of(const ViewedTrace& trace, RegionRef region) {
  return trace.first_name + std::min(region, names_of(trace.index->definitions()) - 1);
}

/// In small letters, ASCII's.
inline std::string lowered(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// By region: whether `text` is in its name, letters large or small.
inline std::vector<bool> regions_named(const Definitions& definitions, const std::string& text) {
  std::vector<bool> out;
  const std::string what = lowered(text);
  for (const std::string& name : slice_names(definitions)) out.push_back(lowered(name).find(what) != std::string::npos);
  return out;
}

}  // namespace tracer::view
