// SPDX-License-Identifier: BSD-3-Clause
// How the threads of a run wait, beside what waits_actively() says of their settings.
#pragma once

#include "tracer/replay/run_facts.hpp"

namespace tracer::report {

/// Whether threads sleep as soon as they wait, however they are set: with more of them than processors libgomp spins
/// for microseconds. False where the processors or the runtime are unknown. Any thread.
bool sleeps_at_once(const RunFacts& facts);

}  // namespace tracer::report
