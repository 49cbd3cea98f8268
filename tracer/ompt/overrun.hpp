// SPDX-License-Identifier: BSD-3-Clause
// What libomp writes behind its list of dependences for a tool, put right before the program meets it.
#pragma once

#include "omp-tools.h"

namespace tracer::ompt {

/// For every tool that listens to `dependences` libomp's __kmpc_omp_taskwait_deps_51 (14, 19 and 22 as seen: tasks with
/// `if(0)`, `taskwait depend`) writes the type of a mutexinoutset dependence to deps[ndeps + i] instead of deps[i].
/// That of the first one overwrites its allocator's word for the next block (whether the one before it is free), and
/// the program aborts at one of its next allocations: "Assertion failure at kmp_alloc.cpp: prevfree == 0". That of the
/// second overwrites nothing; what later ones overwrite is undefined.
///
/// Restores the word. True: the first dependence is mutexinoutset, whatever its type field. Only for the list of such
/// a wait, in the callback (the thread owns the pool that it stands in), and only of an LLVM runtime: others may have
/// nothing in front of the list that can be read.
bool mend_overrun(const ompt_dependence_t* deps, int ndeps) noexcept;

}  // namespace tracer::ompt
