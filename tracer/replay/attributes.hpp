// SPDX-License-Identifier: BSD-3-Clause
// Finds attributes of an archive by their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tracer/definitions.hpp"

namespace tracer::report {

/// Its number (OTF2's AttributeRef); undefined_ref: the archive has none of that name.
inline std::uint32_t find_attribute(const Definitions& definitions, std::string_view name) {
  for (std::size_t i = 0; i < definitions.attributes.size(); ++i)
    if (definitions.attributes[i].name == name) return static_cast<std::uint32_t>(i);
  return undefined_ref;
}

}  // namespace tracer::report
