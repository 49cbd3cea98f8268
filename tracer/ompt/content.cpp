// SPDX-License-Identifier: BSD-3-Clause
// Hashes what the host's memory holds when the runtime reports the end of a copy.
#include "tracer/ompt/content.hpp"

#include <dlfcn.h>

#include <cstddef>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tracer/ompt_values.hpp"

namespace tracer::ompt {
namespace {

/// The host's device number: that of the runtime, since versions of libomptarget have -1, or the number of devices
/// (OpenMP 5.2, 3.7.7). A target operation runs, so the runtime has begun; queried once, as it does not change.
bool is_host(int device) noexcept {
  static const int initial = [] {
    const auto ask = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "omp_get_initial_device"));
    return ask != nullptr ? ask() : -1;
  }();
  return device == -1 || device == initial;
}

}  // namespace

Content content_of(ompt_target_data_op_t optype, const void* source, int source_device, const void* destination,
                   int destination_device, std::uint64_t bytes) noexcept {
  const void* host = nullptr;
  switch (static_cast<unsigned>(optype)) {
    case data_op::to_device:
    case data_op::to_device_async:
      if (is_host(source_device) && !is_host(destination_device)) host = source;
      break;
    case data_op::from_device:
    case data_op::from_device_async:
      if (is_host(destination_device) && !is_host(source_device)) host = destination;
      break;
    default:
      break;
  }
  if (host == nullptr || bytes == 0) return {};
  return {true, XXH3_64bits(host, static_cast<std::size_t>(bytes))};
}

}  // namespace tracer::ompt
