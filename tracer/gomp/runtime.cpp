// SPDX-License-Identifier: BSD-3-Clause
// Finds the libgomp of a caller, and its functions.
#include "tracer/gomp/runtime.hpp"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>

#include "tracer/base/loaded_objects.hpp"
#include "tracer/base/loader_gate.hpp"
#include "tracer/base/spinning.hpp"
#include "tracer/base/weak_references.hpp"
#include "tracer/gomp/lane.hpp"
#include "tracer/gomp/scope.hpp"
#include "tracer/gomp/undisturbed.hpp"
#include "tracer/gomp/unseen.hpp"

namespace tracer::gomp {

constinit std::atomic<std::uint64_t> generation{1};
constinit ProgramCode program_code{0, 0};

constinit const char* const entry_names[] = {
#define TRACER_GOMP_M(name) #name,
    TRACER_GOMP_ENTRIES
#undef TRACER_GOMP_M
};

namespace {

constexpr unsigned most_callers = 256;

constinit std::atomic<bool> is_keeping{false};
constinit std::atomic<const Runtime*> latest_runtime{nullptr};  ///< set under is_keeping
/// An object that has called, by where it begins, and whom its calls go to.
struct KnownCaller {
  std::atomic<std::uintptr_t> begin;  ///< 0: none
  const Runtime* runtime;             ///< under is_keeping
};
constinit KnownCaller known_callers[most_callers]{};
/// Whether a libgomp is in the program's scope as it was when the program began: 1, 0; -1: nobody has looked.
constinit std::atomic<int> program_has{-1};

/// The loader's result where a name is bound at its first call.
template <Entry entry>
void missing() {
  char line[160];
  const int length = std::snprintf(line, sizeof line, "symbol lookup error: undefined symbol: %s\n",
                                   entry_names[static_cast<unsigned>(entry)]);
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, static_cast<std::size_t>(length));
  _exit(127);
}

template <class F>
void set(F& function, void* symbol) noexcept {
  static_assert(sizeof function == sizeof symbol);
  std::memcpy(&function, &symbol, sizeof symbol);
}

int zero() {
  return 0;
}
int one() {
  return 1;
}
void no_schedule(int* kind, int* chunk) {
  *kind = *chunk = 0;
}

/// `find(name)`: the library's function, or nullptr.
template <class Find>
void fill(Runtime& to, Find find) noexcept {
#define TRACER_GOMP_M(name)                                          \
  if (void* symbol = find(#name))                                    \
    set(to.name, symbol);                                            \
  else {                                                             \
    void (*lacks)() = &missing<Entry::name>;                         \
    std::memcpy(static_cast<void*>(&to.name), &lacks, sizeof lacks); \
  }
  TRACER_GOMP_ENTRIES
#undef TRACER_GOMP_M
  const auto or_else = [&](auto& function, const char* name, auto otherwise) {
    if (void* symbol = find(name))
      set(function, symbol);
    else
      function = otherwise;
  };
  or_else(to.omp_get_thread_num, "omp_get_thread_num", &zero);
  or_else(to.omp_get_num_threads, "omp_get_num_threads", &one);
  or_else(to.omp_get_max_threads, "omp_get_max_threads", &one);
  or_else(to.omp_get_team_num, "omp_get_team_num", &zero);
  or_else(to.omp_get_num_teams, "omp_get_num_teams", &one);
  or_else(to.omp_get_default_device, "omp_get_default_device", &zero);
  or_else(to.omp_get_num_devices, "omp_get_num_devices", &zero);
  or_else(to.omp_get_cancellation, "omp_get_cancellation", &zero);
  or_else(to.omp_get_schedule, "omp_get_schedule", &no_schedule);
}

/// A runtime that calls tools looks for ompt_start_tool, so its read-only data has that name. No function of the
/// library's searches: a sanitizer's would look at each byte's neighbours.
__attribute__((no_sanitize("address"))) bool has_text(const LoadedObject& object, const char* text) noexcept {
  const std::size_t length = std::strlen(text);
  for (unsigned i = 0; i < object.count; ++i) {
    const auto& segment = object.segments[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_R) == 0 || (segment.p_flags & PF_W) != 0) continue;
    const char* const begin = reinterpret_cast<const char*>(object.base + segment.p_vaddr);
    const char* const end = begin + segment.p_filesz;
    for (const char* at = begin; at + length <= end; ++at) {
      std::size_t same = 0;
      while (same < length && at[same] == text[same]) ++same;
      if (same == length) return true;
    }
  }
  return false;
}

/// `is_it(object)`: the runtime's.
template <class Is>
void describe(Runtime& runtime, Is is_it) noexcept {
  for_each_object([&](const LoadedObject& object) {
    if (!is_it(object)) return false;
    std::snprintf(runtime.path, sizeof runtime.path, "%s", object.name);
    runtime.speaks_ompt = has_text(object, "ompt_start_tool");
    return true;
  });
  // LLVM's would begin with that: it is asked nothing.
  if (!runtime.speaks_ompt) runtime.cancels = runtime.omp_get_cancellation() != 0;
}

const Runtime* known(std::uintptr_t base, bool has_old_locks) noexcept {
  const Runtime* runtime = latest_runtime.load(std::memory_order_acquire);
  while (runtime != nullptr && (runtime->base != base || runtime->has_old_locks != has_old_locks))
    runtime = runtime->next;
  return runtime;
}

/// `handle`: as dlsym() takes it.
void* symbol_of(void* handle, const char* name, bool has_old_locks) noexcept {
  void* const old = has_old_locks && is_name_of_lock(name) ? dlvsym(handle, name, "OMP_1.0") : nullptr;
  return old != nullptr ? old : dlsym(handle, name);
}

/// Nothing is called while it is there, on an undisturbed thread.
class Keeping {
 public:
  Keeping() noexcept {
    for (unsigned turn = 0; is_keeping.exchange(true, std::memory_order_acquire); ++turn) take_turn(turn);
  }
  ~Keeping() { is_keeping.store(false, std::memory_order_release); }
  Keeping(const Keeping&) = delete;
  Keeping& operator=(const Keeping&) = delete;
};

/// nullptr: there is no memory.
Runtime* new_runtime() noexcept {
  void* const memory = mmap(nullptr, sizeof(Runtime), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory != MAP_FAILED ? new (memory) Runtime{} : nullptr;
}

const Runtime* add(Runtime& made) noexcept {
  const Keeping keeping;
  if (const Runtime* const same = known(made.base, made.has_old_locks)) return same;
  made.next = latest_runtime.load(std::memory_order_relaxed);
  made.number = made.next != nullptr ? made.next->number + 1 : 0;
  latest_runtime.store(&made, std::memory_order_release);
  return &made;
}

/// Among those that are known. Of threads that make the same one at the same time the first has its kept, and no lock
/// is held while it is made: the loader's functions wait for constructors, which may wait for other threads.
const Runtime* keep(Runtime* made) noexcept {
  const Runtime* const kept = add(*made);
  if (kept != made) munmap(made, sizeof *made);
  return kept;
}

const Runtime* make_of_program(bool has_old_locks) noexcept {
  Runtime* const runtime = function_in_scope() != nullptr ? new_runtime() : nullptr;
  if (runtime == nullptr) return nullptr;
  fill(*runtime, [=](const char* name) { return symbol_of(RTLD_NEXT, name, has_old_locks); });
  runtime->has_old_locks = has_old_locks;
  const auto inside = reinterpret_cast<std::uintptr_t>(runtime->GOMP_barrier);
  describe(*runtime, [inside](const LoadedObject& object) { return object.contains(inside); });
  return keep(runtime);
}

/// nullptr: it is not loaded. Kept: it stays as long as the process.
void* opened(const Library& library) noexcept {
  return library.base != 0 ? dlopen(library.path, RTLD_NOLOAD | RTLD_LAZY) : nullptr;
}

/// `own`: the library that the first of its callers is linked with. It has what the other lacks, as for the loader.
const Runtime* make_of_library(const Library& library, const Library& own, bool has_old_locks) noexcept {
  void* const handle = opened(library);
  Runtime* const runtime = handle != nullptr ? new_runtime() : nullptr;
  if (runtime == nullptr) return nullptr;
  void* const behind = own.base != library.base ? opened(own) : nullptr;
  fill(*runtime, [=](const char* name) {
    void* const symbol = symbol_of(handle, name, has_old_locks);
    return symbol != nullptr || behind == nullptr ? symbol : symbol_of(behind, name, has_old_locks);
  });
  runtime->base = library.base;
  runtime->has_old_locks = has_old_locks;
  describe(*runtime, [&](const LoadedObject& object) { return object.base == library.base; });
  return keep(runtime);
}

/// Of those whose libgomp is nowhere to be found.
const Runtime* nobodys() noexcept {
  static constinit std::atomic<const Runtime*> none{nullptr};
  if (const Runtime* made = none.load(std::memory_order_acquire)) return made;
  static constinit std::atomic<bool> is_making{false};
  alignas(Runtime) static constinit unsigned char place[sizeof(Runtime)]{};
  if (!is_making.exchange(true)) {
    auto* runtime = new (place) Runtime{};
    fill(*runtime, [](const char*) -> void* { return nullptr; });
    runtime->is_missing = true;
    none.store(runtime, std::memory_order_release);
  }
  for (unsigned turn = 0; none.load(std::memory_order_acquire) == nullptr; ++turn) take_turn(turn);
  return none.load(std::memory_order_acquire);
}

/// Before main() at the latest: constructors of other libraries may come here before our own does.
bool program_has_one() noexcept {
  int has = program_has.load(std::memory_order_relaxed);
  if (has < 0) {
    has = function_in_scope() != nullptr ? 1 : 0;
    program_has.store(has, std::memory_order_relaxed);
  }
  return has == 1;
}

/// nullptr: there is none.
const Runtime* runtime_of_library(const Calls& calls) noexcept {
  const Library library = library_of(calls);
  if (library.base == 0) return nullptr;
  const Runtime* const runtime = known(library.base, calls.has_old_locks);
  return runtime != nullptr ? runtime : make_of_library(library, library_needed(calls), calls.has_old_locks);
}

/// The loader forgets an error that the program has not asked for yet whenever it is asked something: what is known is
/// not asked again.
const Runtime* runtime_of(const Calls& calls) noexcept {
  const bool has_one = program_has_one();
  if (const Runtime* const runtime = has_one ? known(0, calls.has_old_locks) : nullptr) return runtime;
  const Runtime* const runtime = has_one ? make_of_program(calls.has_old_locks) : runtime_of_library(calls);
  dlerror();  // that a libgomp lacks names is no error of the program's
  return runtime != nullptr ? runtime : nobodys();
}

/// nullptr: there is none of that object.
KnownCaller* known_caller(std::uintptr_t begin) noexcept {
  for (KnownCaller& caller : known_callers)
    if (caller.begin.load(std::memory_order_relaxed) == begin) return &caller;
  return nullptr;
}

/// nullptr: the object has not called yet.
const Runtime* remembered(std::uintptr_t begin) noexcept {
  if (begin == 0) return nullptr;
  const Keeping keeping;
  const KnownCaller* const caller = known_caller(begin);
  return caller != nullptr ? caller->runtime : nullptr;
}

/// For as long as the object is loaded: whose names come first in the program's scope may be another library's later,
/// but its calls are bound. The first of several threads' answers is taken; of very many objects some are not
/// remembered. `begin`: 0 for code of no object.
const Runtime* remember(std::uintptr_t begin, const Runtime* runtime) noexcept {
  if (begin == 0) return runtime;
  const Keeping keeping;
  if (const KnownCaller* const caller = known_caller(begin)) return caller->runtime;
  KnownCaller* const room = known_caller(0);
  if (room == nullptr) return runtime;
  room->runtime = runtime;
  room->begin.store(begin, std::memory_order_release);
  return runtime;
}

bool is_begin_of_object(std::uintptr_t begin) noexcept {
  bool is_there = false;
  for_each_object([&](const LoadedObject& object) {
    is_there = object.begin == begin;
    return is_there;
  });
  return is_there;
}

/// The loader is asked while nothing is kept: whoever waits for it may want to keep something.
void forget_closed_callers() noexcept {
  auto forget = [] {
    for (KnownCaller& caller : known_callers) {
      const std::uintptr_t begin = caller.begin.load(std::memory_order_relaxed);
      if (begin == 0 || is_begin_of_object(begin)) continue;
      const Keeping keeping;
      caller.begin.store(0, std::memory_order_relaxed);
    }
  };
  undisturbed(forget);
}

/// What can be read of the object, and the segment that the address is in.
void take_segments(Caller& caller, const LoadedObject& object, std::uintptr_t address) noexcept {
  unsigned readable = 0;
  for (unsigned i = 0; i < object.count; ++i) {
    const auto& segment = object.segments[i];
    if (segment.p_type != PT_LOAD) continue;
    const Range range{object.base + segment.p_vaddr, object.base + segment.p_vaddr + segment.p_memsz};
    if (range.contains(address)) caller.code = range;
    if ((segment.p_flags & PF_R) != 0 && readable < Caller::most_segments) caller.segments[readable++] = range;
  }
}

}  // namespace

bool is_listened_to(const char* name) noexcept {
  for (const char* const entry : entry_names)
    if (std::strcmp(name, entry) == 0) return true;
  return false;
}

void forget_keepers() noexcept {
  is_keeping.store(false);
}

void forget_threads() noexcept {
  const Runtime* runtime = latest_runtime.load(std::memory_order_acquire);
  for (; runtime != nullptr; runtime = runtime->next) runtime->threads.store(0, std::memory_order_relaxed);
}

Caller find_caller(std::uintptr_t address) noexcept {
  Caller caller;
  std::uintptr_t begin = 0;
  for_each_object([&](const LoadedObject& object) {
    if (!object.contains(address)) return false;
    begin = object.begin;
    take_segments(caller, object, address);
    return true;
  });
  caller.runtime = remembered(begin);
  if (caller.runtime == nullptr) caller.runtime = remember(begin, runtime_of(calls_of(address)));
  return caller;
}

namespace {

/// What is loaded before the program begins is in its scope. The handlers of fork are registered first of all: the gate
/// is taken behind what handlers of others take, libtracer.so's among them.
[[gnu::constructor]] void look_at_program() {
  pthread_atfork(&LoaderGate::hold, &LoaderGate::resume, &LoaderGate::resume_in_child);
  program_has_one();
  for_each_object([](const LoadedObject& program) {
    program_code = {program.begin, program.end - program.begin};
    return true;
  });
  give_back_weak_references(entry_names, [](const char* name) {
    return std::strncmp(name, "GOMP_", 5) == 0 || std::strncmp(name, "omp_", 4) == 0;
  });
}

}  // namespace
}  // namespace tracer::gomp

extern "C" [[gnu::visibility("default")]] int dlclose(void* handle) {
  using Close = int (*)(void*);
  static constinit std::atomic<Close> next{nullptr};
  Close close = next.load(std::memory_order_relaxed);
  if (close == nullptr) next.store(close = reinterpret_cast<Close>(dlsym(RTLD_NEXT, "dlclose")));
  tracer::gomp::look_for_unseen_calls();
  tracer::gomp::next_generation();
  const int result = close(handle);
  tracer::gomp::forget_closed_callers();
  tracer::gomp::next_generation();
  return result;
}
