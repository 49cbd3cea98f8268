// SPDX-License-Identifier: BSD-3-Clause
// The parts of the program `hostile`.
#pragma once

#include <atomic>

/// Counted in tasks and critical sections.
extern std::atomic<long> total;
/// A parallel region with a loop, tasks and critical sections. The sum of the loop's indices.
long region(int threads, int iterations = 40);

void jumps();
void jump_from_region();
void left();
void coroutines();
