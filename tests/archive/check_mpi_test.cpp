// SPDX-License-Identifier: BSD-3-Clause
// What an MPI program may do: sequences that break no rule of `tracer check`.
#include "mpi_seed.hpp"

using namespace tracer;
using namespace tracer::test;

TEST_CASE("a file that is opened, written and closed again and again breaks no rule") {
  Seed seed;
  const std::uint32_t handle = io_handle(seed);
  for (const Nanoseconds time : {1410, 1440}) {
    seed.insert(0, write_on(handle, time, 8, 3));
    seed.insert(0, event(time + 1, EventType::io_operation_issued, handle, 0, 8));
    seed.insert(0, event(time + 2, EventType::io_operation_test, handle, 0, 8));
    seed.insert(0, event(time + 3, EventType::io_operation_complete, handle, 8, 8));
    seed.insert(0, event(time + 4, EventType::io_seek, handle, 0, 0));
    seed.insert(0, event(time + 5, EventType::io_destroy_handle, handle));
    if (time == 1410) seed.insert(0, event(1430, EventType::io_create_handle, handle));
  }
  seed.insert(0, event(1460, EventType::io_delete_file, 0));
  check_valid(seed);
}

TEST_CASE("messages of MPI match by communicator, partner and tag, whichever comes first") {
  Seed seed;
  message_to_self(seed, 8, 8);
  std::swap(seed.at(0, EventType::mpi_send).type, seed.at(0, EventType::mpi_recv).type);
  check_valid(seed);
}

TEST_CASE("messages of MPI match in whatever order a program waits for what it receives") {
  Seed seed;
  message_to_self(seed, 8, 16);
  const std::uint32_t world = seed.at(0, EventType::mpi_send).ref;
  seed.insert(0, event(1430, EventType::mpi_send, world, 16, std::uint64_t{7} << 32));
  seed.insert(0, event(1440, EventType::mpi_recv, world, 8, std::uint64_t{7} << 32));
  check_valid(seed);
}

TEST_CASE("of messages of MPI that nobody receives as many are right as receives are counted that failed") {
  for (const char* counted : {"1", "2"}) {
    Seed seed;
    message_to_self(seed, 8, 8);
    const std::uint32_t world = seed.at(0, EventType::mpi_send).ref;
    for (const std::uint64_t tag : {8, 9}) seed.insert(0, event(1430, EventType::mpi_send, world, 16, tag << 32));
    seed.d.properties.push_back({"TRACER::COUNTER::MPI_NOT_TOLD_RECEIVES_THAT_FAILED", counted});
    check_valid(seed, std::string{counted} == "2");
  }
}

TEST_CASE("the root of a collective operation is a rank of its communicator, or none") {
  constexpr std::uint32_t none = 0xffffffffu, self = none - 1, this_group = none - 2;
  for (const std::uint32_t root : {0u, 1u, none, self, this_group}) {
    Seed seed;
    broadcast(seed, root);
    check_valid(seed, root != 1);
  }
}

TEST_CASE("a send of MPI that was cancelled need not be received") {
  Seed seed;
  message_to_self(seed, 8, 8);
  const std::uint32_t world = seed.at(0, EventType::mpi_send).ref;
  seed.insert(0, event(1430, EventType::mpi_isend, world, 16, std::uint64_t{8} << 32));  // request 0
  seed.insert(0, event(1440, EventType::mpi_request_cancelled, 0, 0));
  check_valid(seed);
}

TEST_CASE("a lock of a window of MPI may be released without an acquisition between, as Score-P records it") {
  for (const std::uint64_t requests : {1u, 0u}) {
    Seed seed;
    const std::uint16_t window = mpi_window(seed);
    seed.insert(0, on_window(1410, EventType::mpi_window_create, window));
    if (requests != 0) seed.insert(0, on_window(1420, EventType::mpi_rma_request_lock, window, 0, 1));
    seed.insert(0, on_window(1430, EventType::mpi_rma_release_lock, window));
    check_valid(seed, requests != 0);
  }
}

TEST_CASE("operations on windows that share a matching id are complete together") {
  Seed seed;
  std::uint16_t window = 0;
  EventType put = EventType::mpi_rma_put, complete = EventType::mpi_rma_complete_there;
  SECTION("MPI's, in an epoch") {
    window = mpi_window(seed);
    seed.insert(0, on_window(1410, EventType::mpi_window_create, window));
  }
  SECTION("SHMEM's") {
    window = foreign_window(seed);
    put = EventType::rma_put;
    complete = EventType::rma_op_complete_blocking;
  }
  SECTION("a device's") {
    put = EventType::rma_put;
    complete = EventType::rma_op_complete_blocking;
  }
  for (const Nanoseconds time : {1420u, 1430u}) seed.insert(0, on_window(time, put, window, 0, 8, 7));
  if (put == EventType::rma_put && window == 0)
    for (std::size_t n = 0; n < 2; ++n) seed.at(0, EventType::rma_put, n).ref = 2;  // the stream
  seed.insert(0, on_window(1440, complete, window, 0, 0, 7));
  check_valid(seed);
}

TEST_CASE("operations on windows that share a matching id are never complete without its completion") {
  Seed seed;
  const std::uint16_t window = mpi_window(seed);
  seed.insert(0, on_window(1410, EventType::mpi_window_create, window));
  seed.insert(0, on_window(1420, EventType::mpi_rma_put, window, 0, 8, 7));
  seed.insert(0, on_window(1430, EventType::mpi_rma_complete_there, window, 0, 0, 7));
  seed.insert(0, on_window(1440, EventType::mpi_rma_put, window, 0, 8, 7));
  check_valid(seed, false);
}

TEST_CASE("a window that is not MPI's has one collective operation after the other") {
  for (const bool has_ends : {true, false}) {
    Seed seed;
    const std::uint16_t window = foreign_window(seed);
    for (const Nanoseconds time : {1420u, 1440u}) {
      seed.insert(0, event(time, EventType::mpi_rma_collective_begin));
      if (has_ends) seed.insert(0, on_window(time + 1, EventType::mpi_rma_collective_end, window));
    }
    check_valid(seed, has_ends);
  }
}

TEST_CASE("a device's copy to itself has its own stream for the remote side, and a host thread's has not") {
  for (const bool is_of_host : {false, true}) {
    Seed seed;
    if (is_of_host) {
      seed.insert(0, event(1425, EventType::rma_put, 0, 8, 7));
      seed.insert(0, event(1430, EventType::rma_op_complete_blocking, 0, 0, 7));
    } else {
      seed.at(2, EventType::rma_get).ref = 2;
    }
    check_valid(seed, !is_of_host);
  }
}
