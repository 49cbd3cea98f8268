// SPDX-License-Identifier: BSD-3-Clause
// The thread that empties the rings while the program runs.
#pragma once

#include "tracer/session/session.hpp"

namespace tracer {

/// For Session::start. The drainer lives as long as the process.
Consumer* make_drainer(Session& session);

}  // namespace tracer
