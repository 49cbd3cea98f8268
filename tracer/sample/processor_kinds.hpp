// SPDX-License-Identifier: BSD-3-Clause
// Whether a machine's processors are of several kinds (cores for performance and for efficiency): each has counters of
// its own, and a counter of one kind stands still, with its whole group, while the thread is on another.
#pragma once

#include <filesystem>

#include "tracer/base/processors.hpp"

namespace tracer::sample {

/// How many kinds there are among `usable`, by the kernel's lists of the processors that have counters of one kind; 0:
/// the kernel has no such lists, as on most machines. Throws std::bad_alloc.
unsigned processor_kinds(const ProcessorMask& usable,
                         const std::filesystem::path& devices = "/sys/bus/event_source/devices");

}  // namespace tracer::sample
