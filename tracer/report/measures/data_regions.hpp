// SPDX-License-Identifier: BSD-3-Clause
// Which regions of threads are about a device's data.
#pragma once

#include "tracer/replay/regions.hpp"

namespace tracer::report {

/// A construct that moves data and does nothing else.
inline bool is_data_construct(const RegionClass& region) {
  return region.construct == Directive::target &&
         (region.label == "target enter data" || region.label == "target exit data" || region.label == "target update");
}

/// That, or an operation on data: no kernel runs in it.
inline bool moves_data_only(const RegionClass& region) {
  return region.construct == Directive::target_data || is_data_construct(region);
}

}  // namespace tracer::report
