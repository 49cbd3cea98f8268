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
};
/// DRIVER is there for the correlation and the calling thread only: LLVM's plugin calls the driver, never the runtime.
inline constexpr std::array kinds{Kind{CUPTI_ACTIVITY_KIND_DEVICE, false},
                                  Kind{CUPTI_ACTIVITY_KIND_CONTEXT, false},
                                  Kind{CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, true},
                                  Kind{CUPTI_ACTIVITY_KIND_DRIVER, true},
                                  Kind{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, true},
                                  Kind{CUPTI_ACTIVITY_KIND_MEMCPY, true},
                                  Kind{CUPTI_ACTIVITY_KIND_MEMCPY2, false},
                                  Kind{CUPTI_ACTIVITY_KIND_MEMSET, false},
                                  Kind{CUPTI_ACTIVITY_KIND_MEMORY2, false},
                                  Kind{CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, false},
                                  Kind{CUPTI_ACTIVITY_KIND_OVERHEAD, false},
                                  Kind{CUPTI_ACTIVITY_KIND_STREAM, false}};

inline bool is_missing(CUptiResult result) noexcept {
  return result == CUPTI_ERROR_INVALID_KIND || result == CUPTI_ERROR_NOT_COMPATIBLE ||
         result == CUPTI_ERROR_NOT_SUPPORTED;
}

}  // namespace tracer::device::cupti
