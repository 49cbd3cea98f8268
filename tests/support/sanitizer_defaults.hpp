// SPDX-License-Identifier: BSD-3-Clause
// What the sanitizers are told by each test program; to be included by the file that has main().
#pragma once

/// A session is never destroyed (threads may be in handlers), and oneTBB's containers keep their elements behind
/// pointers with marks in them, which the search for leaks cannot follow.
extern "C" [[gnu::visibility("default"), gnu::used]] inline const char* __lsan_default_suppressions() {
  return "leak:tbb::detail\n";
}
