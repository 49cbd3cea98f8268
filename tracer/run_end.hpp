// SPDX-License-Identifier: BSD-3-Clause
// What becomes of a run's raw trace when its recording has ended: an archive, or one line on how to make it later.
#pragma once

#include "tracer/session/session.hpp"

namespace tracer::tool {

/// Converts the raw trace, unless its settings, the process or the machine are against it; the last process of a
/// launcher's job joins the parts. `has_room`: the calling thread's stack is large enough for a conversion. May throw.
void make_archive(const Session& session, bool has_room);

}  // namespace tracer::tool
