// SPDX-License-Identifier: BSD-3-Clause
// The devices of the run: who begins them, and what a forked child has of its parent's.
#pragma once

#include "device/select/select.hpp"
#include "tracer/base/config.hpp"
#include "tracer/session/session.hpp"

namespace tracer::tool {

/// Under the lock of the run, once. Before a runtime's callbacks are registered: the first device may be announced
/// right after. Only when some code will submit work to devices, which libomp does not show: it answers "always"
/// without any. `driver_starts`: inside of the start of CUDA's driver, which may have come before the runtime.
void begin_devices(Session& session, const Config& config, bool driver_starts = false);

/// Also while they are begun, which calls a driver; ompt::devices() comes after that. nullptr: none, or not yet.
device::Devices* begun_devices() noexcept;

/// By the settings.
bool records_cuda(const Config& config);

/// In a forked child, on its only thread. It may begin devices of its own, unless the parent had begun with CUDA.
void leave_devices_to_parent() noexcept;

}  // namespace tracer::tool
