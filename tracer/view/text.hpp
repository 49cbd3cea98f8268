// SPDX-License-Identifier: BSD-3-Clause
// Regions by their names.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tracer/view/api.hpp"

namespace tracer::view {

/// The number of a region's name on the page; a region that is not defined has the one behind the last.
inline std::uint32_t name_of(const ViewedTrace& trace, RegionRef region) {
  const auto regions = static_cast<std::uint32_t>(trace.index->definitions().regions.size());
  return trace.first_name + std::min(region, regions);
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
  for (const Region& region : definitions.regions) out.push_back(lowered(region.name).find(what) != std::string::npos);
  return out;
}

}  // namespace tracer::view
