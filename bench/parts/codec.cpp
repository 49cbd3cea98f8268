// SPDX-License-Identifier: BSD-3-Clause
// The compact form of records: what the drainer spends on encoding one and the translator on decoding it.
#include "formats/raw/codec.hpp"
#include "formats/raw/encoder.hpp"

#include <benchmark/benchmark.h>

#include "bench/parts/synthetic.hpp"

namespace tracer::bench {
namespace {

constexpr std::size_t segment = 16384;
constexpr std::size_t record_bytes = 40;

std::vector<Record> some_records(benchmark::State& state) {
  const MemorySource source(static_cast<Body>(state.range(0)), 1, segment);
  const auto& all = source.channel(0);
  return {all.begin() + 8, all.begin() + 8 + segment};
}

std::size_t encode(std::span<const Record> records, std::byte* out) {
  static raw::Encoder encoder;
  encoder.begin(0, out);
  encoder.add(records);
  return static_cast<std::size_t>(encoder.end() - out);
}

void encode(benchmark::State& state) {
  const auto records = some_records(state);
  std::vector<std::byte> out(segment * record_bytes);
  std::size_t bytes = 0;
  for (auto _ : state) {
    bytes = encode(records, out.data());
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * segment));
  state.counters["bytes/record"] = static_cast<double>(bytes) / segment;
}

void decode(benchmark::State& state) {
  const auto records = some_records(state);
  std::vector<std::byte> bytes(segment * record_bytes);
  bytes.resize(encode(records, bytes.data()));
  std::vector<Record> out;
  for (auto _ : state) {
    out.clear();
    if (!raw::decode(bytes, segment, 0, out)) state.SkipWithError("not decoded");
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * segment));
}

BENCHMARK(encode)->DenseRange(0, 2);
BENCHMARK(decode)->DenseRange(0, 2);

}  // namespace
}  // namespace tracer::bench
