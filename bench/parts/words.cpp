// SPDX-License-Identifier: BSD-3-Clause
// What a word costs the program: NVTX's push and pop through libtracer-annotations.so, each with the clock's reading.
// The trace goes to TRACER_OUTPUT, else to a directory that is removed. "clock": two readings and nothing else.
#include <dlfcn.h>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include <benchmark/benchmark.h>

#include "tracer/front_end.h"

namespace {

using Function = void (*)();
Function functions[16], functions2[16];
Function *table[16], *table2[16];

int get_table(int module, Function*** out, unsigned* size) {
  for (int i = 0; i < 16; ++i) table[i] = &functions[i], table2[i] = &functions2[i];
  *out = module == 1 ? table : table2;
  *size = 16;
  return module == 1 || module == 5 ? 1 : 0;
}
struct {
  std::size_t size = sizeof(*this);
  int (*get)(int, Function***, unsigned*) = get_table;
} callbacks;

const void* export_table(std::uint32_t id) {
  return id == 1 ? &callbacks : nullptr;
}

struct Words {
  int (*push)(const char*) = nullptr;
  int (*pop)() = nullptr;
  const tracer_front_end* tracer = nullptr;

  Words() {
    const auto made = std::filesystem::temp_directory_path() / "tracer-bench-words";
    ::setenv("TRACER_OUTPUT", made.c_str(), 0);
    ::setenv("TRACER_CONVERT", "later", 0);
    ::setenv("TRACER_LOG", "error", 0);
    void* library = ::dlopen(TRACER_ANNOTATIONS, RTLD_NOW);
    if (library == nullptr) return;
    using Inject = int (*)(const void* (*)(std::uint32_t));
    if (reinterpret_cast<Inject>(::dlsym(library, "InitializeInjectionNvtx2"))(export_table) != 1) return;
    push = reinterpret_cast<decltype(push)>(functions[9]);
    pop = reinterpret_cast<decltype(pop)>(functions[11]);
    push("first");
    pop();
    void* tool = ::dlopen(TRACER_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    using Connect = const tracer_front_end* (*)(std::uint32_t);
    if (tool != nullptr) tracer = reinterpret_cast<Connect>(::dlsym(tool, "tracer_connect"))(TRACER_FRONT_END_VERSION);
  }
};

Words& words() {
  static Words instance;
  return instance;
}

void push_and_pop(benchmark::State& state) {
  Words& w = words();
  if (w.tracer == nullptr) return state.SkipWithError("the library is not there");
  for (auto _ : state) {
    w.push("assemble the matrix");
    w.pop();
  }
}
BENCHMARK(push_and_pop)->Iterations(2'000'000)->Repetitions(5)->ReportAggregatesOnly();

void clock_twice(benchmark::State& state) {
  Words& w = words();
  if (w.tracer == nullptr) return state.SkipWithError("the library is not there");
  for (auto _ : state) {
    benchmark::DoNotOptimize(w.tracer->now());
    benchmark::DoNotOptimize(w.tracer->now());
  }
}
BENCHMARK(clock_twice);

}  // namespace
