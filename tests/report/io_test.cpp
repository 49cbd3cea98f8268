// SPDX-License-Identifier: BSD-3-Clause
// Input and output of archives in which one layer carries out what another one has begun, and threads use one file.
#include "catch.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "tests/report/reported.hpp"
#include "tests/report/trace_builder.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

constexpr std::uint64_t start = 1'000'000;
constexpr std::uint16_t writing = 1;  ///< OTF2_IoOperationMode, with no flag: of a blocking call
constexpr std::uint16_t reading_by_request = 1 << 8;
constexpr std::uint32_t mpi = 0, posix = 1;  ///< handles

/// Both of one file; POSIX' was made by MPI's.
void define(Definitions& d) {
  d.io_files.push_back({"/data", 0});
  d.io_paradigms = {{"MPI-IO", "MPI-IO", true}, {"POSIX", "POSIX I/O"}};
  d.io_handles.resize(2);
  d.io_handles[posix].paradigm = 1;
  d.io_handles[posix].parent = mpi;
}

/// Of `bytes`, which all are transferred.
void operation(TraceBuilder& trace, LocationRef thread, std::uint32_t handle, std::uint64_t from, std::uint64_t to,
               std::uint64_t bytes, std::uint64_t id) {
  trace.simple(thread, start + from * ms, EventType::io_operation_begin, handle, bytes, id, writing);
  trace.simple(thread, start + to * ms, EventType::io_operation_complete, handle, bytes, id);
}

}  // namespace

TEST_CASE("what POSIX does for a handle of MPI is counted once, as MPI's") {
  TraceBuilder trace{1};
  define(trace.editable());
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.simple(0, start + 1 * ms, EventType::io_create_handle, mpi);
  trace.simple(0, start + 2 * ms, EventType::io_create_handle, posix);
  trace.simple(0, start + 10 * ms, EventType::io_operation_begin, mpi, 100, 7, writing);
  operation(trace, 0, posix, 11, 19, 100, 42);
  trace.simple(0, start + 20 * ms, EventType::io_operation_complete, mpi, 100, 7);
  trace.simple(0, start + 30 * ms, EventType::program_end);
  const Json file = report_of(trace)["io"]["files"][0];
  CHECK(file["opened"] == 1);
  CHECK(file["writes"] == 1);
  CHECK(file["written_bytes"] == 100);
  CHECK(file["total_ns"] == 10 * ms);
}

TEST_CASE("a handle of another file than its parent's has operations of its own") {
  TraceBuilder trace{1};
  Definitions& d = trace.editable();
  define(d);
  d.io_files.push_back({"/data.locks", 0});
  d.io_handles[posix].file = 1;
  trace.simple(0, start, EventType::program_begin, 0, 1);
  operation(trace, 0, posix, 1, 2, 100, 42);
  trace.simple(0, start + 30 * ms, EventType::program_end);
  CHECK(report_of(trace)["io"]["files"][0]["file"] == "/data.locks");
}

TEST_CASE("blocking operations of several threads may have one matching id, others end on any thread") {
  TraceBuilder trace{2};
  define(trace.editable());
  trace.simple(0, start, EventType::program_begin, 0, 1);
  operation(trace, 0, mpi, 10, 20, 100, 42);
  operation(trace, 1, mpi, 15, 40, 1000, 42);
  trace.simple(0, start + 50 * ms, EventType::io_operation_begin, mpi, 7, 43, reading_by_request);
  trace.simple(0, start + 51 * ms, EventType::io_operation_issued, mpi, 0, 43);
  trace.simple(1, start + 60 * ms, EventType::io_operation_complete, mpi, 7, 43);
  trace.simple(0, start + 70 * ms, EventType::program_end);
  const Json file = report_of(trace)["io"]["files"][0];
  CHECK(file["writes"] == 2);
  CHECK(file["written_bytes"] == 1100);
  CHECK(file["reads"] == 1);
  CHECK(file["read_bytes"] == 7);
  CHECK(file["total_ns"] == (10 + 25 + 1) * ms);
}
