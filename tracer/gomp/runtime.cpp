// SPDX-License-Identifier: BSD-3-Clause
// Finds the libgomp of a caller, and its functions.
#include "tracer/gomp/runtime.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>

#include "tracer/base/loaded_objects.hpp"
#include "tracer/base/weak_references.hpp"
#include "tracer/gomp/lane.hpp"
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

constexpr unsigned most_runtimes = 16;
/// A name of the call that a compiler's OpenMP always needs.
constexpr const char *usual_name = "GOMP_parallel", *older_name = "GOMP_parallel_start";

alignas(Runtime) constinit unsigned char places[most_runtimes][sizeof(Runtime)]{};
constinit std::atomic<bool> is_keeping{false};
constinit unsigned kept = 0;  ///< under is_keeping
constinit std::atomic<const Runtime*> runtimes[most_runtimes]{};
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
  for (const auto& slot : runtimes) {
    const Runtime* runtime = slot.load(std::memory_order_acquire);
    if (runtime != nullptr && runtime->base == base && runtime->has_old_locks == has_old_locks) return runtime;
  }
  return nullptr;
}

void* old_lock(void* handle, const char* name) noexcept {
  return std::strncmp(name, "omp_", 4) == 0 && std::strstr(name, "lock") != nullptr ? dlvsym(handle, name, "OMP_1.0")
                                                                                    : nullptr;
}

/// Among those that are known. Of threads that make the same one at the same time the first has its kept, and no lock
/// is held while it is made: the loader's functions wait for constructors, which may wait for other threads. nullptr:
/// there are too many. On an undisturbed thread.
const Runtime* keep(const Runtime& made) noexcept {
  while (is_keeping.exchange(true, std::memory_order_acquire)) {
  }
  const Runtime* result = known(made.base, made.has_old_locks);
  if (result == nullptr && kept < most_runtimes) {
    std::memcpy(places[kept], static_cast<const void*>(&made), sizeof made);
    auto* const runtime = std::launder(reinterpret_cast<Runtime*>(places[kept]));
    runtime->number = kept;
    runtimes[kept++].store(runtime, std::memory_order_release);
    result = runtime;
  }
  is_keeping.store(false, std::memory_order_release);
  return result;
}

/// In the program's scope as it is now.
bool is_libgomp_in_scope() noexcept {
  return dlsym(RTLD_NEXT, usual_name) != nullptr || dlsym(RTLD_NEXT, older_name) != nullptr;
}

const Runtime* make_of_program(bool has_old_locks) noexcept {
  if (!is_libgomp_in_scope()) return nullptr;
  Runtime runtime{};
  fill(runtime, [has_old_locks](const char* name) {
    void* old = has_old_locks ? old_lock(RTLD_NEXT, name) : nullptr;
    return old != nullptr ? old : dlsym(RTLD_NEXT, name);
  });
  runtime.has_old_locks = has_old_locks;
  const auto inside = reinterpret_cast<std::uintptr_t>(runtime.GOMP_barrier);
  describe(runtime, [inside](const LoadedObject& object) { return object.contains(inside); });
  return keep(runtime);
}

const Runtime* make_of_library(std::uintptr_t base, const char* path, bool has_old_locks) noexcept {
  void* const handle = dlopen(path, RTLD_NOLOAD | RTLD_LAZY);  // kept: it stays as long as the process
  if (handle == nullptr) return nullptr;
  Runtime runtime{};
  fill(runtime, [=](const char* name) {
    void* old = has_old_locks ? old_lock(handle, name) : nullptr;
    return old != nullptr ? old : dlsym(handle, name);
  });
  runtime.base = base;
  runtime.has_old_locks = has_old_locks;
  describe(runtime, [base](const LoadedObject& object) { return object.base == base; });
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
  while (none.load(std::memory_order_acquire) == nullptr) {
  }
  return none.load(std::memory_order_acquire);
}

/// GCC before 4.4 wrote smaller locks, which libgomp distinguishes by the version of the name.
bool has_old_locks(const LoadedObject& object) noexcept {
  const std::uintptr_t needs = object.entry(DT_VERNEED);
  if (needs == 0 || object.entry(DT_STRTAB) == 0) return false;
  const char* const strings = object.strings();
  bool is_old = false, is_new = false;
  const auto* need = reinterpret_cast<const ElfW(Verneed)*>(needs < object.base ? object.base + needs : needs);
  for (;;) {
    if (is_libgomp(strings + need->vn_file)) {
      const auto* version = reinterpret_cast<const ElfW(Vernaux)*>(reinterpret_cast<const char*>(need) + need->vn_aux);
      for (unsigned i = 0; i < need->vn_cnt; ++i) {
        is_old |= std::strcmp(strings + version->vna_name, "OMP_1.0") == 0;
        is_new |= std::strcmp(strings + version->vna_name, "OMP_3.0") == 0 ||
                  std::strncmp(strings + version->vna_name, "GOMP_4", 6) == 0;
        version = reinterpret_cast<const ElfW(Vernaux)*>(reinterpret_cast<const char*>(version) + version->vna_next);
      }
    }
    if (need->vn_next == 0) break;
    need = reinterpret_cast<const ElfW(Verneed)*>(reinterpret_cast<const char*>(need) + need->vn_next);
  }
  return is_old && !is_new;
}

/// The library that an object's dependency is, in `base` and `path`.
struct Wanted {
  std::uintptr_t base = 0;
  char path[512] = "";
};

/// The first that `is_it`.
template <class Is>
Wanted loaded(Is is_it) noexcept {
  Wanted wanted;
  for_each_object([&](const LoadedObject& object) {
    if (!is_it(object)) return false;
    wanted.base = object.base;
    std::snprintf(wanted.path, sizeof wanted.path, "%s", object.name);
    return true;
  });
  return wanted;
}

/// The loader keeps the names by which a file was wanted: a libgomp.so.1 that is a link to libomp.so, loaded as that.
Wanted find_alias(const char* needed) noexcept {
  void* const handle = dlopen(needed, RTLD_NOLOAD | RTLD_LAZY);  // kept, as make_of_library() does
  link_map* map = nullptr;
  if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return {};
  return loaded([&](const LoadedObject& object) { return object.base == map->l_addr; });
}

/// Which runtime the object's dependencies name; where they name none, a libgomp that is loaded.
Wanted wanted_by(const char* needed) noexcept {
  if (*needed != '\0') {
    const Wanted named = loaded([&](const LoadedObject& object) {
      return std::strcmp(file_of(object.name), needed) == 0 || std::strcmp(object.soname(), needed) == 0;
    });
    if (named.base != 0) return named;
    if (const Wanted alias = find_alias(needed); alias.base != 0) return alias;
  }
  return loaded([](const LoadedObject& object) { return is_libgomp(object.name); });
}

/// LLVM's and Intel's: their locks have the names of libgomp's, and other sizes.
bool is_other_runtime(const char* path) noexcept {
  return std::strncmp(file_of(path), "libomp.", 7) == 0 || std::strncmp(file_of(path), "libomp5.", 8) == 0 ||
         std::strncmp(file_of(path), "libomp-", 7) == 0 || std::strncmp(file_of(path), "libiomp5", 8) == 0;
}

/// Before main() at the latest: constructors of other libraries may come here before our own does.
bool program_has_one() noexcept {
  int has = program_has.load(std::memory_order_relaxed);
  if (has < 0) {
    has = is_libgomp_in_scope() ? 1 : 0;
    program_has.store(has, std::memory_order_relaxed);
  }
  return has == 1;
}

}  // namespace

void forget_keepers() noexcept {
  is_keeping.store(false);
}

Caller find_caller(std::uintptr_t address) noexcept {
  Caller caller;
  char needed[256] = "";
  bool is_old = false;
  for_each_object([&](const LoadedObject& object) {
    if (!object.contains(address)) return false;
    unsigned kept = 0;
    for (unsigned i = 0; i < object.count; ++i) {
      const auto& segment = object.segments[i];
      if (segment.p_type != PT_LOAD) continue;
      const Range range{object.base + segment.p_vaddr, object.base + segment.p_vaddr + segment.p_memsz};
      if (range.contains(address)) caller.code = range;
      if ((segment.p_flags & PF_R) != 0 && kept < Caller::most_segments) caller.segments[kept++] = range;
    }
    is_old = has_old_locks(object);
    for (const auto* d = object.dynamic; d != nullptr && d->d_tag != DT_NULL; ++d) {
      const char* const name = object.strings() + d->d_un.d_val;
      if (d->d_tag != DT_NEEDED || !(is_libgomp(name) || (*needed == '\0' && is_other_runtime(name)))) continue;
      std::snprintf(needed, sizeof needed, "%s", name);
      if (is_libgomp(name)) break;
    }
    return true;
  });
  const Wanted wanted = program_has_one() ? Wanted{} : wanted_by(needed);
  caller.runtime = known(wanted.base, is_old);
  // Without a library it is one that was opened with RTLD_GLOBAL since the program began, if any.
  if (caller.runtime == nullptr)
    caller.runtime = wanted.base != 0 ? make_of_library(wanted.base, wanted.path, is_old) : make_of_program(is_old);
  if (caller.runtime == nullptr) caller.runtime = nobodys();
  dlerror();  // that a libgomp lacks names is no error of the program's
  return caller;
}

namespace {

/// What is loaded before the program begins is in its scope.
[[gnu::constructor]] void look_at_program() {
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
  tracer::gomp::next_generation();
  return result;
}
