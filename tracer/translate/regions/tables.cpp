// SPDX-License-Identifier: BSD-3-Clause
// Out of line because RegionTable is complete here only.
#include "tracer/translate/resolve/tables.hpp"

#include "tracer/translate/regions/regions.hpp"

namespace tracer::translate {

Tables::Tables() = default;
Tables::~Tables() = default;

}  // namespace tracer::translate
