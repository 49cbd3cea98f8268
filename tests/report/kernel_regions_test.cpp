// SPDX-License-Identifier: BSD-3-Clause
// Which regions of device streams are kernels, in archives with the role and in those of OTF2 3.0, which has none.
#include "catch.hpp"

#include "tracer/definitions.hpp"
#include "tracer/replay/regions.hpp"

using namespace tracer;

namespace {

Region region(const char* name, RegionRole role) {
  Region made;
  made.name = name;
  made.role = role;
  return made;
}

}  // namespace

TEST_CASE("waiting, overhead, copies and memory of a device are no kernels, whether or not kernels have a role") {
  for (const RegionRole role : {RegionRole::kernel, RegionRole::function}) {
    Definitions definitions;
    definitions.regions = {region("saxpy(float)", role),
                           region("stream synchronize", RegionRole::function),
                           region("context synchronize", RegionRole::function),
                           region("stream wait event", RegionRole::function),
                           region("CUPTI overhead", RegionRole::artificial),
                           region("copy to device", RegionRole::data_transfer),
                           region("allocate", RegionRole::allocate),
                           region("free", RegionRole::deallocate)};
    const report::KernelRegions is_kernel{definitions};
    CHECK(is_kernel(0));
    for (RegionRef other = 1; other < definitions.regions.size(); ++other) CHECK_FALSE(is_kernel(other));
  }
}
