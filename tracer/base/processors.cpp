// SPDX-License-Identifier: BSD-3-Clause
// See processors.hpp.
#include "tracer/base/processors.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "tracer/base/loaded_objects.hpp"
#include "tracer/base/runtime_names.hpp"

namespace tracer {
namespace {

constexpr std::size_t bits = 8 * sizeof ProcessorMask{}.words[0], all = 8 * sizeof ProcessorMask{}.words;

ProcessorMask remembered;
unsigned remembered_count = 0;  ///< may be more than the mask has
std::atomic<bool> is_remembered{false};

/// GCC's OpenMP runtime, where it is loaded: to be closed. Not LLVM's under its name, which would begin with a call.
void* open_libgomp() {
  std::string path;
  for_each_object([&](const LoadedObject& object) {
    const std::string_view name{object.name};
    if (!is_gcc_runtime(name.substr(name.rfind('/') + 1))) return false;
    path = name;
    return true;
  });
  void* const library = path.empty() ? nullptr : ::dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr || ::dlsym(library, "__kmpc_fork_call") == nullptr) return library;
  ::dlclose(library);
  return nullptr;
}

/// Its constructor binds the program's first thread where OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY request it:
/// then it has counted the processors before, and knows those of its places.
void add_processors_of_places(void* libgomp, ProcessorMask& mask, unsigned& count) {
  const auto get_num_places = reinterpret_cast<int (*)()>(::dlsym(libgomp, "omp_get_num_places"));
  const auto get_num_procs = reinterpret_cast<int (*)()>(::dlsym(libgomp, "omp_get_num_procs"));
  const auto get_place_num_procs = reinterpret_cast<int (*)(int)>(::dlsym(libgomp, "omp_get_place_num_procs"));
  const auto get_place_proc_ids = reinterpret_cast<void (*)(int, int*)>(::dlsym(libgomp, "omp_get_place_proc_ids"));
  if (!get_num_places || !get_num_procs || !get_place_num_procs || !get_place_proc_ids) return;  // before GCC 6
  const int places = get_num_places();
  if (places <= 0) return;  // the thread is not bound
  std::vector<int> ids;
  for (int place = 0; place < places; ++place) {
    ids.assign(static_cast<std::size_t>(std::max(0, get_place_num_procs(place))), 0);
    if (!ids.empty()) get_place_proc_ids(place, ids.data());
    for (const int id : ids)
      if (const auto i = static_cast<std::size_t>(id); i < all) mask.words[i / bits] |= 1ul << i % bits;
  }
  count = std::max(count_of(mask), static_cast<unsigned>(std::max(0, get_num_procs())));
}

}  // namespace

bool read_processors(std::uint64_t os_thread_id, ProcessorMask& mask) noexcept {
  mask = {};
  return ::syscall(SYS_sched_getaffinity, static_cast<pid_t>(os_thread_id), sizeof mask.words, mask.words) > 0;
}

unsigned count_of(const ProcessorMask& mask) noexcept {
  unsigned count = 0;
  for (const unsigned long word : mask.words) count += static_cast<unsigned>(std::popcount(word));
  return count;
}

ProcessorMask mask_of(std::string_view list) noexcept {
  ProcessorMask mask;
  const char* at = list.data();
  const char* const end = at + list.size();
  const auto number = [&](std::size_t& value) {
    const auto [behind, error] = std::from_chars(at, end, value);
    at = behind;
    return error == std::errc{} && value < all;
  };
  while (at != end) {
    std::size_t first = 0, last = 0;
    if (!number(first)) return {};
    last = first;
    if (at != end && *at == '-' && (++at, !number(last))) return {};
    for (std::size_t i = first; i <= last; ++i) mask.words[i / bits] |= 1ul << i % bits;
    if (at != end && *at++ != ',') return {};
  }
  return mask;
}

std::string list_of(const ProcessorMask& mask) {
  const auto has = [&](std::size_t i) { return i < all && (mask.words[i / bits] >> i % bits & 1) != 0; };
  std::string text;
  for (std::size_t i = 0; i < all; ++i) {
    if (!has(i)) continue;
    const std::size_t first = i;
    while (has(i + 1)) ++i;
    text += (text.empty() ? "" : ",") + std::to_string(first) + (i == first ? "" : "-" + std::to_string(i));
  }
  return text;
}

void remember_processors() noexcept {
  if (is_remembered.load(std::memory_order_acquire) || !read_processors(0, remembered)) return;
  remembered_count = count_of(remembered);
  try {
    if (void* const libgomp = open_libgomp(); libgomp != nullptr) {
      add_processors_of_places(libgomp, remembered, remembered_count);
      ::dlclose(libgomp);
      ::dlerror();  // that it lacks names is no error of the program's
    }
  } catch (...) {  // no memory: those of the thread
  }
  is_remembered.store(true, std::memory_order_release);
}

unsigned usable_processors() noexcept {
  ProcessorMask mask;
  if (is_remembered.load(std::memory_order_acquire)) return std::max(remembered_count, 1u);
  read_processors(0, mask);
  return std::max(count_of(mask), 1u);
}

std::string noted_processors() {
  const bool are_known = is_remembered.load(std::memory_order_acquire) && count_of(remembered) == remembered_count;
  return are_known ? list_of(remembered) : std::string{};
}

bool read_noted_processors(ProcessorMask& mask) noexcept {
  if (!is_remembered.load(std::memory_order_acquire)) return false;
  mask = remembered;
  return true;
}

bool run_on(const ProcessorMask& mask) noexcept {
  return ::syscall(SYS_sched_setaffinity, 0, sizeof mask.words, mask.words) == 0;
}

void run_on_usable_processors() noexcept {
  if (is_remembered.load(std::memory_order_acquire))
    ::syscall(SYS_sched_setaffinity, 0, sizeof remembered.words, remembered.words);
}

}  // namespace tracer
