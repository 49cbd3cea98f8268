// SPDX-License-Identifier: BSD-3-Clause
// How `tracer snapshot` prints.
#pragma once

namespace tracer::ompd {
struct Snapshot;
}

namespace tracer::cli {

/// Exit status: all is there but what needs OMP_DEBUG=enabled.
inline constexpr int snapshot_incomplete = 3;

enum class SnapshotDetail { normal, all };

void print_text(const ompd::Snapshot& snapshot, SnapshotDetail detail);
void print_json(const ompd::Snapshot& snapshot);

}  // namespace tracer::cli
