// SPDX-License-Identifier: BSD-3-Clause
// The same events written by the OTF2 library alone: what a conversion is compared with.
#include <benchmark/benchmark.h>
#include <otf2/otf2.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace tracer::bench {
namespace {

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
constexpr OTF2_FlushCallbacks flush_callbacks{flush, nullptr};

/// One chunk per buffer, as a writer in little memory has it.
struct Held {
  void* chunk = nullptr;
  bool taken = false;
};
void* allocate(void*, OTF2_FileType, OTF2_LocationRef, void** buffer, std::uint64_t bytes) {
  auto* held = static_cast<Held*>(*buffer);
  if (held == nullptr) *buffer = held = new Held{std::malloc(bytes), false};
  if (held->taken) return nullptr;
  held->taken = true;
  return held->chunk;
}
void free_all(void*, OTF2_FileType, OTF2_LocationRef, void** buffer, bool final) {
  auto* held = static_cast<Held*>(*buffer);
  if (held == nullptr) return;
  held->taken = false;
  if (!final) return;
  std::free(held->chunk);
  delete held;
  *buffer = nullptr;
}
constexpr OTF2_MemoryCallbacks memory_callbacks{allocate, free_all};

void library(benchmark::State& state) {
  const auto kind = state.range(0);
  const auto directory = std::filesystem::temp_directory_path() / ("bench-otf2-library-" + std::to_string(::getpid()));
  std::filesystem::remove_all(directory);
  OTF2_Archive* archive = OTF2_Archive_Open(directory.c_str(), "traces", OTF2_FILEMODE_WRITE, 256 * 1024,
                                            OTF2_UNDEFINED_UINT64, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  OTF2_Archive_SetFlushCallbacks(archive, &flush_callbacks, nullptr);
  OTF2_Archive_SetMemoryCallbacks(archive, &memory_callbacks, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, 0);
  OTF2_TimeStamp time = 1;
  constexpr std::uint32_t pairs = 2048;
  for (auto _ : state) {
    for (std::uint32_t i = 1; i <= pairs; ++i) {
      if (kind == 0) {
        OTF2_EvtWriter_Enter(writer, nullptr, time += 25, 1);
        OTF2_EvtWriter_Leave(writer, nullptr, time += 25, 1);
      } else if (kind == 1) {
        OTF2_EvtWriter_ThreadTaskCreate(writer, nullptr, time += 25, 0, 1, i);
        OTF2_EvtWriter_ThreadTaskSwitch(writer, nullptr, time += 25, 0, 1, i);
      } else {
        OTF2_EvtWriter_ThreadAcquireLock(writer, nullptr, time += 25, OTF2_PARADIGM_OPENMP, 1, i);
        OTF2_EvtWriter_ThreadReleaseLock(writer, nullptr, time += 25, OTF2_PARADIGM_OPENMP, 1, i);
      }
    }
  }
  OTF2_Archive_CloseEvtWriter(archive, writer);
  OTF2_Archive_Close(archive);
  std::filesystem::remove_all(directory);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * 2 * pairs));
}
BENCHMARK(library)->ArgName("enter-task-lock")->DenseRange(0, 2);

}  // namespace
}  // namespace tracer::bench
