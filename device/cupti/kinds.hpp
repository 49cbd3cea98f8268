// SPDX-License-Identifier: BSD-3-Clause
// Which kinds of activity are recorded.
#pragma once

#include <array>

#include <cupti.h>

namespace tracer::device::cupti {

/// What a library, device or licence may not have (a virtual GPU, an older CUPTI) is done without, if it is not needed.
struct Kind {
  CUpti_ActivityKind kind;
  bool needed;
  /// Its records stay open while the device works: switched off in between they would end when they are switched on.
  bool of_device;
};
/// The calls of the driver are there for the correlation and the calling thread (calls.hpp): LLVM's plugin calls the
/// driver, never the runtime.
inline constexpr std::array kinds{Kind{CUPTI_ACTIVITY_KIND_DEVICE, false, true},
                                  Kind{CUPTI_ACTIVITY_KIND_CONTEXT, false, true},
                                  Kind{CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, true, false},
                                  Kind{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, true, true},
                                  Kind{CUPTI_ACTIVITY_KIND_MEMCPY, true, true},
                                  Kind{CUPTI_ACTIVITY_KIND_MEMCPY2, false, true},
                                  Kind{CUPTI_ACTIVITY_KIND_MEMSET, false, true},
                                  Kind{CUPTI_ACTIVITY_KIND_MEMORY2, false, true},
                                  Kind{CUPTI_ACTIVITY_KIND_MEMORY_POOL, false, true},
                                  Kind{CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, false, false},
                                  Kind{CUPTI_ACTIVITY_KIND_OVERHEAD, false, false},
                                  Kind{CUPTI_ACTIVITY_KIND_STREAM, false, true}};

inline bool is_missing(CUptiResult result) noexcept {
  return result == CUPTI_ERROR_INVALID_KIND || result == CUPTI_ERROR_NOT_COMPATIBLE ||
         result == CUPTI_ERROR_NOT_SUPPORTED;
}

}  // namespace tracer::device::cupti
