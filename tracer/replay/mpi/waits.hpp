// SPDX-License-Identifier: BSD-3-Clause
// The ways in which calls of MPI wait for calls of other ranks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tracer::report {

/// Waiting inside a call, by Scalasca's names for it.
enum class MpiWait : std::uint8_t {
  late_sender,     ///< a receive, or a wait for one, until the sender calls
  late_receiver,   ///< a send, or a wait for one, until the receiver requests the message
  barrier,         ///< until the last one comes to it
  nxn,             ///< all-to-all operations, until the last one comes
  early_reduce,    ///< the root of an all-to-one operation, until the last one sends
  late_broadcast,  ///< one-to-all operations, until the root comes
  early_scan,      ///< MPI_Scan and MPI_Exscan, until the last one before it comes
  fence,           ///< MPI_Win_fence and MPI_Win_free, the making of windows, until the last one comes
  lock,            ///< for a window's lock, until who has it calls MPI_Win_unlock
  late_post,       ///< MPI_Win_start or MPI_Win_complete, until the last of the targets calls MPI_Win_post
  early_wait,      ///< MPI_Win_wait, until the last of the origins calls MPI_Win_complete
  count_
};
inline constexpr std::size_t mpi_waits = static_cast<std::size_t>(MpiWait::count_);
const char* name_of(MpiWait wait) noexcept;  ///< stable, for JSON
const char* text_of(MpiWait wait) noexcept;  ///< for people

}  // namespace tracer::report
