// SPDX-License-Identifier: BSD-3-Clause
// make_parts DIRECTORY PARTS THREADS ROUNDS: parts of a job as so many processes would leave them, in DIRECTORY/parts.
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "formats/otf2/write/sink.hpp"
#include "tracer/error.hpp"

using namespace tracer;

namespace {

constexpr std::uint64_t start = 1'000'000'000'000, round_ns = 10'000;

Definitions definitions_of(unsigned rank, unsigned threads, unsigned rounds) {
  Definitions d;
  d.clock = {1'000'000'000, start, rounds * round_ns, 1'700'000'000'000'000'000};
  d.strings = {"", "app"};
  d.paradigms.push_back({Paradigm::openmp, "OpenMP", ParadigmClass::thread_fork_join, "Thread team ${id}", false});
  d.nodes.push_back({"Linux", "machine", undefined_ref, NodeDomain::machine, {}});
  d.nodes.push_back({"node" + std::to_string(rank / 64), "node", 0, NodeDomain::shared_memory, {}});
  d.groups_of_locations.push_back({"Process", LocationGroupKind::process, 1, undefined_ref, {}});
  d.groups.push_back({"OpenMP", GroupKind::comm_locations, Paradigm::openmp, {}});
  d.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {}});
  for (unsigned t = 0; t < threads; ++t) {
    d.locations.push_back(
        {t == 0 ? "Master thread" : "OMP thread " + std::to_string(t), LocationKind::cpu_thread, 0, {}});
    d.groups[0].members.push_back(t);
    d.groups[1].members.push_back(t);
  }
  d.comms.push_back({"", 1, undefined_ref});
  for (unsigned r = 0; r < 20; ++r) {  // in another order in each part: no reference may stay what it was
    const std::string line = std::to_string(10 + (r + rank) % 20);
    const RegionRole role = r == 0 ? RegionRole::parallel : RegionRole::loop;
    const std::string name = std::string{r == 0 ? "!$omp parallel" : "!$omp for"} + " @app.c:" + line;
    d.regions.push_back({name, name, "main", role, Paradigm::openmp, "/src/app.c", 10 + (r + rank) % 20, 0});
  }
  const auto add = [&](const char* name, const std::string& value) { d.properties.push_back({name, value}); };
  add("TRACER::JOB::RANK", std::to_string(rank));
  add("TRACER::JOB::CLOCK_DOMAIN", "kernel " + std::to_string(rank / 64));
  add("TRACER::PROCESS_ID", std::to_string(1000 + rank));
  add("TRACER::PROGRAM", "/bin/app");
  add("TRACER::EVENTS_LOST", "0");
  add("TRACER::ENDING", "finalize");
  d.creator = "make_parts";
  return d;
}

void make_part(const std::filesystem::path& directory, unsigned rank, unsigned threads, unsigned rounds) {
  const Definitions d = definitions_of(rank, threads, rounds);
  const auto sink = make_otf2_sink(directory);
  sink->prepare(d);
  for (unsigned t = 0; t < threads; ++t) {
    const auto writer = sink->open(t);
    std::vector<Event> events;
    const auto add = [&](std::uint64_t time, EventType type, std::uint32_t ref = 0, std::uint64_t a = 0) {
      events.push_back({time, type, 0, 0, ref, a, 0});
    };
    if (t == 0) add(start, EventType::program_begin, 0, 1);
    for (unsigned i = 0; i < rounds; ++i) {
      const std::uint64_t at = start + i * round_ns + 1;
      if (t == 0) add(at, EventType::thread_fork, 0, threads);
      add(at, EventType::team_begin, 0);
      add(at, EventType::enter, 0);
      for (unsigned r = 1; r < 20; ++r) {
        add(at + r * 100, EventType::enter, r);
        add(at + r * 100 + 50 + t, EventType::leave, r);
      }
      add(at + 9'000, EventType::leave, 0);
      add(at + 9'000, EventType::team_end, 0);
      if (t == 0) add(at + 9'000, EventType::thread_join);
    }
    if (t == 0) add(start + rounds * round_ns, EventType::program_end);
    writer->write(events, {});
    writer->close();
  }
  sink->finish(d);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 5) {
    std::fprintf(stderr, "usage: make_parts DIRECTORY PARTS THREADS ROUNDS\n");
    return 2;
  }
  const std::filesystem::path parts = std::filesystem::path{argv[1]} / "parts";
  std::filesystem::create_directories(parts);
  ::chmod(argv[1], 0700);
  const auto number = [&](int i) { return static_cast<unsigned>(std::atoi(argv[i])); };
  for (unsigned rank = 0; rank < number(2); ++rank)
    make_part(parts / ("host-" + std::to_string(rank)), rank, number(3), number(4));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "make_parts: %s\n", error.what());
  return 1;
}
