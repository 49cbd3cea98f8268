// SPDX-License-Identifier: BSD-3-Clause
// Who waits for whom, in sentences.
#pragma once

#include <string>
#include <vector>

#include "tracer/ompd/snapshot.hpp"

namespace tracer::ompd {

/// A deadlock of locks, a barrier that waits for someone, a wait for tasks. Reports only what the snapshot
/// shows: "Deadlock" when nobody is left who could go on.
std::vector<std::string> find_waits(const Snapshot& snapshot);

}  // namespace tracer::ompd
