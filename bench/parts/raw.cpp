// SPDX-License-Identifier: BSD-3-Clause
// The raw trace as files: what the drainer writes and the translator reads back.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>

#include "bench/parts/synthetic.hpp"
#include "formats/raw/journal.hpp"
#include "formats/raw/reader.hpp"
#include "formats/raw/writer.hpp"

namespace tracer::bench {
namespace {

constexpr raw::RunId run_id{1, 2};

struct Directory {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("bench-raw-" + std::to_string(::getpid()));
  Directory() { std::filesystem::create_directory(path); }
  ~Directory() { std::filesystem::remove_all(path); }
};

void write_trace(const std::filesystem::path& path, std::span<const Record> records) {
  raw::TraceWriter trace;
  trace.create(OwnFile::create(path), run_id);
  for (std::size_t at = 0; at < records.size(); at += raw::most_segment_records) {
    const auto part = records.subspan(at, std::min<std::size_t>(raw::most_segment_records, records.size() - at));
    trace.append(0, at, part, {});
  }
  trace.close();
}

std::vector<Record> some_records() {
  return MemorySource(Body::barrier, 1, 250'000).channel(0);
}

void write(benchmark::State& state) {
  const auto records = some_records();
  const Directory directory;
  for (auto _ : state) {
    write_trace(directory.path / "trace", records);
    state.PauseTiming();
    std::filesystem::remove(directory.path / "trace");
    state.ResumeTiming();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(static_cast<std::size_t>(state.iterations()) * records.size()));
}
BENCHMARK(write)->Unit(benchmark::kMillisecond);

void read(benchmark::State& state) {
  const auto records = some_records();
  const Directory directory;
  raw::JournalWriter journal;
  journal.create(OwnFile::create(directory.path / "journal"), run_id);
  journal.run({});
  journal.channel({});
  journal.end(Ending::finalize, records.back().time);
  journal.close();
  write_trace(directory.path / "trace", records);
  std::size_t seen = 0;
  for (auto _ : state) {
    const auto source = raw::open(directory.path);
    const auto reader = source->records(0);
    seen = 0;
    for (auto batch = reader->next(); !batch.empty(); batch = reader->next()) {
      seen += batch.size();
      benchmark::DoNotOptimize(batch.data());
    }
  }
  if (seen != records.size()) state.SkipWithError("records are missing");
  state.SetItemsProcessed(static_cast<std::int64_t>(static_cast<std::size_t>(state.iterations()) * records.size()));
}
BENCHMARK(read)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tracer::bench
