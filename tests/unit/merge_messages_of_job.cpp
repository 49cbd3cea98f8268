// SPDX-License-Identifier: BSD-3-Clause
// Which sends and receives of a job's parts belong together.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "formats/otf2/write/sink.hpp"
#include "tests/support/scratch.hpp"
#include "tracer/definitions.hpp"
#include "tracer/event.hpp"
#include "tracer/merge/messages_of_job.hpp"

namespace tracer {
namespace {

constexpr std::uint64_t messages = 3000, apart = 1'000'000, on_the_way = 10;
constexpr std::uint64_t time_of(std::uint64_t message) {
  return 100 * (message + 1);
}

Event end_of_message(EventType type, std::uint64_t time, std::uint32_t other) {
  return {.time = time, .type = type, .attributes = 0, .sub = 0, .ref = 0, .a = 8, .b = other};
}

/// A rank of two, with the events of each of its threads, by a clock of its own.
PartWithMessages rank_of_two(const std::filesystem::path& directory, std::uint32_t rank,
                             const std::vector<std::vector<Event>>& threads) {
  Definitions d;
  d.clock = {.resolution = 1'000'000'000, .offset = 0, .length = 2 * apart, .realtime = 1};
  d.nodes = {{"node1", "node", undefined_ref, NodeDomain::shared_memory, {}}};
  d.groups_of_locations = {{"Process", LocationGroupKind::process, 0, undefined_ref, {}}};
  d.paradigms = {{Paradigm::mpi, "MPI", ParadigmClass::process, "", false}};
  d.groups = {{"MPI", GroupKind::comm_locations, Paradigm::mpi, {0}},
              {"World", GroupKind::comm_group, Paradigm::mpi, {0}}};
  d.comms = {{"MPI_COMM_WORLD", 1}};
  d.strings = {""};
  for (std::size_t t = 0; t < threads.size(); ++t)
    d.locations.push_back({"thread " + std::to_string(t), LocationKind::cpu_thread, 0, {}});
  const auto sink = make_otf2_sink(directory);
  for (std::size_t t = 0; t < threads.size(); ++t) {
    const auto writer = sink->open(static_cast<LocationRef>(t));
    writer->write(threads[t], {});
    writer->close();
  }
  sink->finish(d);
  otf2::PartOfMpi mpi;
  mpi.world = "world";
  mpi.size = 2;
  mpi.rank = rank;
  otf2::MpiCommunicator world;
  world.ref = 0;
  world.identity = "WORLD";
  world.size = 2;
  world.members = "0-1";
  mpi.comms.emplace(0, std::move(world));
  return {directory, std::make_shared<const otf2::PartOfMpi>(std::move(mpi)), rank};
}

TEST_CASE(
    "messages that threads send in turn belong to their receives, however many are looked at, by however many "
    "threads") {
  std::vector<std::vector<Event>> sends(2), receives(1);
  for (std::uint64_t i = 0; i < messages; ++i) {
    sends[i % 2].push_back(end_of_message(EventType::mpi_send, time_of(i), 1));
    receives[0].push_back(end_of_message(EventType::mpi_recv, time_of(i) + apart + on_the_way, 0));
  }
  const test::Scratch scratch;
  const std::vector<PartWithMessages> parts{rank_of_two(scratch / "0", 0, sends),
                                            rank_of_two(scratch / "1", 1, receives)};
  for (const std::uint64_t most : {messages / 2, messages}) {
    for (const unsigned threads : {1u, 3u}) {
      const std::vector<MessageOfJob> found = messages_of(parts, threads, most);
      CHECK(found.size() == most);
      std::uint64_t wrong = 0;
      for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i].from != 0 || found[i].to != 1 || found[i].sent != time_of(i) ||
            found[i].received != time_of(i) + apart + on_the_way)
          ++wrong;
      CHECK(wrong == 0);
    }
  }
}

}  // namespace
}  // namespace tracer
