// SPDX-License-Identifier: BSD-3-Clause
// Files: a number for each handle that records name, and which are open.
#pragma once

#include <cstdint>

#include "tracer/mpi/state.hpp"

namespace tracer::mpi {

/// What a program opens on a communicator under a name: the same one when it is opened again after it was closed, so
/// that a program that opens a file a thousand times has one of it. Never freed: records name it by its number.
struct File {
  std::uint32_t id = 0;
  std::uint32_t again = 1;  ///< the how-many-th that is open at a time, of this name on this communicator
  const Comm* comm = nullptr;
  const char* path = "";
  bool is_open = false;
  bool is_collective = false;  ///< its communicator is recorded
  File* next = nullptr;        ///< of the same hash

  /// The split collective operation that has begun: a handle has one at most (MPI 4.0, 14.4.5).
  std::atomic<std::uint64_t> split{0};
};

/// `name` was opened on the communicator: `handle` is its from now on. nullptr: no memory, and what is done with it is
/// counted only.
File* open_file(Word handle, const Comm& comm, const char* name) noexcept;
/// Before MPI can give the handle to another.
void forget_file(Word handle, const File& file) noexcept;
/// It is closed, and that was recorded: it may be opened again.
void close_file(File& file) noexcept;
/// nullptr: none of ours.
File* file_of(Word handle) noexcept;

/// A file that is deleted: its number is apart from those of handles, and it is never open. nullptr: no memory.
const File* deleted_file(const char* name) noexcept;

}  // namespace tracer::mpi
