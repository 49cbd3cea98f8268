// SPDX-License-Identifier: BSD-3-Clause
// Writing events into an OTF2 archive through the sink: the larger part of a conversion.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>

#include "formats/otf2/write/sink.hpp"

namespace tracer::bench {
namespace {

std::vector<Event> events_of(EventType first, EventType second) {
  std::vector<Event> events(4096);
  for (std::size_t i = 0; i < events.size(); ++i) {
    events[i] = {0, i % 2 == 0 ? first : second, 0, 0, 0, 1, i / 2 + 1};
  }
  return events;
}

void write(benchmark::State& state) {
  const auto kind = state.range(0);
  auto events = kind == 0   ? events_of(EventType::enter, EventType::leave)
                : kind == 1 ? events_of(EventType::task_create, EventType::task_switch)
                            : events_of(EventType::acquire_lock, EventType::release_lock);
  const auto directory = std::filesystem::temp_directory_path() / ("bench-otf2-" + std::to_string(::getpid()));
  Nanoseconds time = 1;
  {
    const auto sink = make_otf2_sink(directory, {});
    const auto location = sink->open(0);
    for (auto _ : state) {
      for (auto& e : events) e.time = time += 25;
      location->write(events, {});
    }
    location->close();
  }
  std::filesystem::remove_all(directory);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * events.size()));
}
BENCHMARK(write)->ArgName("enter-task-lock")->DenseRange(0, 2);

}  // namespace
}  // namespace tracer::bench
