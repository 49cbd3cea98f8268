// SPDX-License-Identifier: BSD-3-Clause
// Both passes of the translator from records in memory, with a sink that forgets and with OTF2's.
#include "tracer/translate/translate.hpp"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>

#include "bench/parts/synthetic.hpp"
#include "formats/otf2/write/sink.hpp"

namespace tracer::bench {
namespace {

struct ForgetfulSink final : EventSink {
  struct Writer final : LocationWriter {
    void write(std::span<const Event> events, std::span<const EventAttribute>) override {
      benchmark::DoNotOptimize(events.data());
    }
    void close() override {}
  };
  std::unique_ptr<LocationWriter> open(LocationRef) override { return std::make_unique<Writer>(); }
  void finish(const Definitions&) override {}
};

constexpr std::size_t rounds = 250'000;

/// Arguments: what the region's body does, locations, converting threads.
MemorySource source_of(const benchmark::State& state) {
  return {static_cast<Body>(state.range(0)), static_cast<std::uint32_t>(state.range(1)), rounds};
}

void count(benchmark::State& state, std::uint64_t events) {
  state.SetItemsProcessed(static_cast<std::int64_t>(static_cast<std::uint64_t>(state.iterations()) * events));
}

void passes(benchmark::State& state) {
  const MemorySource source = source_of(state);
  std::uint64_t events = 0;
  for (auto _ : state) {
    ForgetfulSink sink;
    translate::TranslateOptions options;
    options.threads = static_cast<unsigned>(state.range(2));
    events = translate::translate(source, sink, options).events;
  }
  count(state, events);
}

void to_otf2(benchmark::State& state) {
  const MemorySource source = source_of(state);
  const auto directory = std::filesystem::temp_directory_path() / ("bench-translate-" + std::to_string(::getpid()));
  std::uint64_t events = 0;
  for (auto _ : state) {
    const auto sink = make_otf2_sink(directory, {});
    translate::TranslateOptions options;
    options.threads = static_cast<unsigned>(state.range(2));
    events = translate::translate(source, *sink, options).events;
    state.PauseTiming();
    std::filesystem::remove_all(directory);
    state.ResumeTiming();
  }
  count(state, events);
}

void arguments(benchmark::internal::Benchmark* b) {
  b->ArgNames({"barrier-task-critical", "locations", "threads"})->UseRealTime()->Unit(benchmark::kMillisecond);
  for (int body = 0; body < 3; ++body) b->Args({body, 1, 1});
  b->Args({0, 2, 1})->Args({0, 2, 2})->Args({0, 1, 2});
}
BENCHMARK(passes)->Apply(arguments);
BENCHMARK(to_otf2)->Apply(arguments);

}  // namespace
}  // namespace tracer::bench
