// SPDX-License-Identifier: BSD-3-Clause
// A program with functions of the same names as those inside the tool, and with a malloc of its own: none of them may
// be called by the tool, and the tool's not by the program.
#include <unistd.h>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static void wrong(const char* name) {
  [[maybe_unused]] auto said = write(1, name, std::strlen(name));
  _exit(99);
}

#define EXPORTED __attribute__((visibility("default"), used))

extern "C" {
EXPORTED void* OTF2_Archive_Open(const char*, const char*, int) {
  wrong("OTF2_Archive_Open");
  return nullptr;
}
EXPORTED int OTF2_EvtWriter_Enter(void*) {
  wrong("OTF2_EvtWriter_Enter");
  return 0;
}
EXPORTED int OTF2_Archive_Close(void*) {
  wrong("OTF2_Archive_Close");
  return 0;
}
}

namespace spdlog {
class logger {
 public:
  EXPORTED virtual ~logger() { wrong("spdlog::logger"); }
};
namespace details {
EXPORTED void registry() {
  wrong("spdlog::details::registry");
}
}  // namespace details
}  // namespace spdlog

namespace fmt::v9 {
EXPORTED void throw_format_error(const char*) {
  wrong("fmt::throw_format_error");
}
EXPORTED void report_error(const char*) {
  wrong("fmt::report_error");
}
}  // namespace fmt::v9

namespace tbb::detail {
namespace d0 {
enum class exception_id { none };
}
namespace r1 {
EXPORTED void throw_exception(d0::exception_id) {
  wrong("tbb::throw_exception");
}
EXPORTED void* cache_aligned_allocate(std::size_t) {
  wrong("tbb::cache_aligned_allocate");
  return nullptr;
}
EXPORTED void cache_aligned_deallocate(void*) {
  wrong("tbb::cache_aligned_deallocate");
}
}  // namespace r1
}  // namespace tbb::detail

namespace tracer {
EXPORTED void log_warning(const char*) {
  wrong("tracer::log_warning");
}
class Session {
 public:
  EXPORTED static Session* current() {
    wrong("tracer::Session::current");
    return nullptr;
  }
};
Session* (*keep)() = Session::current;
}  // namespace tracer

// An allocator that never gives back and never fails: 1 GiB of address space.
static char* arena = nullptr;
static std::size_t used = 0;

static void* take(std::size_t size, std::size_t alignment) {
  static char memory[std::size_t{1} << 30] __attribute__((aligned(4096)));
  arena = memory;
  std::size_t at = 0, old = __atomic_load_n(&used, __ATOMIC_RELAXED);
  do {
    at = (old + 16 + alignment - 1) & ~(alignment - 1);
  } while (!__atomic_compare_exchange_n(&used, &old, at + size, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  std::memcpy(memory + at - 8, &size, 8);
  return memory + at;
}

extern "C" {
EXPORTED void* malloc(std::size_t size) {
  return take(size, 16);
}
EXPORTED void free(void*) {}
EXPORTED void* calloc(std::size_t n, std::size_t size) {
  return take(n * size, 16);
}
EXPORTED void* realloc(void* old, std::size_t size) {
  void* fresh = take(size, 16);
  std::size_t before = 0;
  if (old) std::memcpy(&before, static_cast<char*>(old) - 8, 8);
  if (old) std::memcpy(fresh, old, before < size ? before : size);
  return fresh;
}
EXPORTED void* memalign(std::size_t alignment, std::size_t size) {
  return take(size, alignment < 16 ? 16 : alignment);
}
EXPORTED void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}
EXPORTED int posix_memalign(void** to, std::size_t alignment, std::size_t size) {
  *to = memalign(alignment, size);
  return 0;
}
}

int main() {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) {
    void* memory = std::malloc(100);
    sum += memory != nullptr;
    std::free(memory);
  }
  std::printf("sum %d\n", sum);
  return sum == 1000 ? 3 : 4;
}
