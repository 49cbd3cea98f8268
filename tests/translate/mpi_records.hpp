// SPDX-License-Identifier: BSD-3-Clause
// Records of MPI's wrappers, as a rank writes them.
#pragma once

#include <cstdint>
#include <vector>

#include "support/memory_trace.hpp"
#include "tracer/event.hpp"
#include "tracer/mpi_functions.hpp"
#include "tracer/record.hpp"
#include "tracer/translate/translate.hpp"

namespace tracer::test {

using Types = std::vector<EventType>;

inline constexpr auto begin = Endpoint::begin, end = Endpoint::end, none = Endpoint::none;

inline Record rec(Ticks time, RecordKind kind, Endpoint endpoint, MpiFunction function, std::uint32_t a = 0,
                  std::uint64_t b = 0, std::uint64_t c = 0) {
  return {time, kind, endpoint, static_cast<std::uint16_t>(function), a, b, c};
}
inline Record more(std::uint64_t payload, std::uint32_t a, std::uint64_t b) {
  return {payload, RecordKind::more, none, 0, a, b, 0};
}

/// Rank 1 of two: WORLD, SELF, and a communicator of which only this rank's number is told.
inline void world(MemorySource& source) {
  auto& journal = source.journal_to_fill();
  journal.run.main_thread_id = 100;
  journal.facts["MPI::WORLD_SIZE"] = "2";
  journal.facts["MPI::WORLD_RANK"] = "1";
  journal.facts["MPI::COMM::0"] = "identity=WORLD;size=2;rank=1;members=0-1;name=MPI_COMM_WORLD";
  journal.facts["MPI::COMM::1"] = "identity=SELF;size=1;rank=0;members=1;name=MPI_COMM_SELF";
  journal.facts["MPI::COMM::2"] = "identity=WORLD/1@1;parent=0;size=1;rank=0;members=1;name=mine; or = not";
}

inline Types types_of(const MemorySink& sink) {
  Types types;
  for (const Event& e : sink.locations.at(0).events) types.push_back(e.type);
  return types;
}

inline translate::TranslateReport run(const MemorySource& source, MemorySink& sink) {
  return translate::translate(source, sink, {});
}

}  // namespace tracer::test
