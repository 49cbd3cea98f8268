// SPDX-License-Identifier: BSD-3-Clause
// Addresses of this program looked up in its debug information: the fixed cost of a conversion.
#include <benchmark/benchmark.h>

#include <cinttypes>
#include <cstdio>
#include <filesystem>

#include "tracer/translate/regions/symbolize.hpp"

namespace tracer::bench {
namespace {

/// This executable, as the journal would name it.
Module self() {
  Module module;
  module.path = std::filesystem::read_symlink("/proc/self/exe").string();
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[4096];
  while (maps && std::fgets(line, sizeof line, maps)) {
    std::uint64_t begin = 0, end = 0;
    if (!std::string(line).ends_with(module.path + "\n") ||
        std::sscanf(line, "%" SCNx64 "-%" SCNx64, &begin, &end) != 2)
      continue;
    if (module.begin == 0) module.begin = module.bias = begin;
    module.end = end;
  }
  if (maps) std::fclose(maps);
  return module;
}

/// Argument: the number of addresses, spread over this file's functions.
void look_up(benchmark::State& state) {
  const Module module = self();
  const auto base = reinterpret_cast<std::uint64_t>(&self);
  std::vector<std::uint64_t> addresses;
  for (std::int64_t i = 0; i < state.range(0); ++i) addresses.push_back(base + static_cast<std::uint64_t>(i) * 4);
  std::size_t found = 0;
  for (auto _ : state) {
    const auto symbolize = translate::make_symbolizer({module});
    found = 0;
    for (const auto& position : symbolize(addresses)) found += position.line != 0;
  }
  state.counters["with line"] = static_cast<double>(found);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * state.range(0)));
}
BENCHMARK(look_up)->Arg(1)->Arg(100)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tracer::bench
