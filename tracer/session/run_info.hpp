// SPDX-License-Identifier: BSD-3-Clause
// Who is running: the process and its machine, for the journal.
#pragma once

#include "tracer/journal.hpp"

namespace tracer {

/// Everything about the calling process but the OpenMP runtime's fields, which stay as in `known`.
RunInfo describe_run(RunInfo known);

}  // namespace tracer
