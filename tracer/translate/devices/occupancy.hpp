// SPDX-License-Identifier: BSD-3-Clause
// How many threads of a kernel a CUDA multiprocessor can hold at once, and what limits them.
#pragma once

#include <map>
#include <string>

#include "tracer/kernel_shape.hpp"

namespace tracer::translate {

struct Occupancy {
  unsigned percent = 0;    ///< of the warps that a multiprocessor can hold; 0: unknown
  const char* limit = "";  ///< "warps", "blocks", "registers", "shared memory"
};

/// `properties`: of the device, as CUPTI gives them.
Occupancy occupancy(const KernelShape& shape, const std::map<std::string, std::string>& properties);

}  // namespace tracer::translate
