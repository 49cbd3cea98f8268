// SPDX-License-Identifier: BSD-3-Clause
// What a seed's process does when it is the one rank of an MPI program: messages to itself, windows, files.
#pragma once

#include "seed.hpp"

namespace tracer::test {

/// The process is the one rank of an MPI program: returns MPI_COMM_WORLD, which the caller's events use.
inline std::uint32_t mpi_world(Seed& s) {
  s.d.paradigms.push_back({Paradigm::mpi, "MPI", ParadigmClass::process, "", false});
  s.d.groups.push_back({"MPI", GroupKind::comm_locations, Paradigm::mpi, {0}});
  s.d.groups.push_back({"World", GroupKind::comm_group, Paradigm::mpi, {0}});
  s.d.comms.push_back({"MPI_COMM_WORLD", static_cast<std::uint32_t>(s.d.groups.size() - 1)});
  return static_cast<std::uint32_t>(s.d.comms.size() - 1);
}

inline void message_to_self(Seed& s, std::uint64_t sent, std::uint64_t received) {
  const std::uint32_t world = mpi_world(s);
  s.insert(0, event(1410, EventType::mpi_send, world, sent, std::uint64_t{7} << 32));
  s.insert(0, event(1420, EventType::mpi_recv, world, received, std::uint64_t{7} << 32));
}

/// A broadcast on that communicator, from 1410 to 1420.
inline void broadcast(Seed& s, std::uint32_t root) {
  Event end = event(1420, EventType::mpi_collective_end, mpi_world(s));
  end.sub = 1;
  end.attributes = 1;
  std::ptrdiff_t before = 0;
  for (const Event& e : s.events(0)) before += e.time <= end.time ? e.attributes : 0;
  auto& attributes = s.trace.locations[0].attributes;
  attributes.insert(attributes.begin() + before, EventAttribute::payload(root, 0));
  s.insert(0, event(1410, EventType::mpi_collective_begin));
  s.insert(0, end);
}

/// A window of that communicator, to be used with on_window().
inline std::uint16_t mpi_window(Seed& s) {
  const std::uint32_t world = mpi_world(s);
  s.d.windows.push_back({"window", world});
  return static_cast<std::uint16_t>(s.d.windows.size() - 1);
}

/// A window of a paradigm that is neither MPI nor a device's, such as SHMEM.
inline std::uint16_t foreign_window(Seed& s) {
  s.d.paradigms.push_back({Paradigm::user, "SHMEM", ParadigmClass::process, "", false});
  s.d.groups.push_back({"SHMEM", GroupKind::comm_locations, Paradigm::user, {0}});
  s.d.groups.push_back({"All", GroupKind::comm_group, Paradigm::user, {0}});
  s.d.comms.push_back({"All", static_cast<std::uint32_t>(s.d.groups.size() - 1)});
  s.d.windows.push_back({"foreign window", static_cast<std::uint32_t>(s.d.comms.size() - 1)});
  return static_cast<std::uint16_t>(s.d.windows.size() - 1);
}

inline Event on_window(Nanoseconds time, EventType type, std::uint16_t window, std::uint32_t ref = 0,
                       std::uint64_t a = 0, std::uint64_t b = 0) {
  Event made = event(time, type, ref, a, b);
  made.sub = window;
  return made;
}

/// A handle of that communicator's, opened at 1405; `comm` false: of none.
inline std::uint32_t io_handle(Seed& s, bool comm = true) {
  s.d.io_files = {{"/data/out"}};
  s.d.io_handles = {{"/data/out", 0, comm ? mpi_world(s) : undefined_ref}};
  s.insert(0, event(1405, EventType::io_create_handle));
  return 0;
}

/// A write of so many bytes, which is its matching id as well.
inline Event write_on(std::uint32_t handle, Nanoseconds time, std::uint64_t bytes, std::uint16_t flags = 0) {
  Event begin = event(time, EventType::io_operation_begin, handle, bytes, bytes);
  begin.sub = static_cast<std::uint16_t>(1 | flags << 8);
  return begin;
}

}  // namespace tracer::test
