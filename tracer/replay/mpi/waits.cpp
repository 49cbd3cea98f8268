// SPDX-License-Identifier: BSD-3-Clause
// The names of wait states.
#include "tracer/replay/mpi/waits.hpp"

#include <cstddef>

namespace tracer::report {

const char* name_of(MpiWait wait) noexcept {
  constexpr const char* names[] = {"late_sender",     "late_receiver",  "wait_at_barrier", "wait_at_nxn",
                                   "early_reduce",    "late_broadcast", "early_scan",      "wait_at_fence",
                                   "lock_contention", "late_post",      "early_wait"};
  static_assert(sizeof names / sizeof names[0] == mpi_waits);
  return names[static_cast<std::size_t>(wait)];
}

const char* text_of(MpiWait wait) noexcept {
  constexpr const char* texts[] = {"late sender",     "late receiver",  "wait at barrier", "wait at N x N",
                                   "early reduce",    "late broadcast", "early scan",      "wait at fence",
                                   "lock contention", "late post",      "early wait"};
  static_assert(sizeof texts / sizeof texts[0] == mpi_waits);
  return texts[static_cast<std::size_t>(wait)];
}

}  // namespace tracer::report
