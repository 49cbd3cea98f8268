// SPDX-License-Identifier: BSD-3-Clause
// ITT: each library that contains ITT's static part finds this one by INTEL_LIBITTNOTIFY64 and hands its list of
// functions to __itt_api_init, which fills in those that describe the program: tasks, regions, markers,
// counters. Synchronisation and frames stay with the functions that do nothing: OpenMP runtimes have ITT hooks of their
// own for what they report to OMPT as well, and everything would be there twice.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "tracer/annotations/chain.hpp"
#include "tracer/annotations/itt.hpp"
#include "tracer/base/memory_checks.hpp"

namespace tracer::words::itt {
namespace {

struct ApiRow {
  const char* name;
  void** function;
  void* first;
  void* nothing;
  int group;
};

struct Global {
  unsigned char magic[8];
  unsigned long version_major, version_minor, version_build;
  volatile long initialized, mutex_initialized, atomic_counter;
  pthread_mutex_t mutex;
  void* library;
  void* error_handler;
  const char** path;
  ApiRow* functions;
};
constexpr unsigned char magic[8] = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30};

/// Handles, one per text and kind, never freed. By the hashes of their texts.
constinit std::atomic<Domain*> domains[64]{};
constinit std::atomic<String*> strings[4096]{};

/// As `like`, with a text of its own; nullptr: no memory.
template <class Entry>
Entry* make_handle(const char* Entry::*text, const Entry& like) noexcept {
  auto* made = static_cast<Entry*>(std::calloc(1, sizeof(Entry)));
  if (made == nullptr) return nullptr;
  *made = like;
  made->*text = copy_of(like.*text);
  if (made->*text != nullptr) return made;
  std::free(made);
  return nullptr;
}

/// The handle that has the text of `wanted`, made like `wanted` where there is none; nullptr: no memory.
/// Handles are never freed, and changed by nobody but the program, which keeps their addresses.
template <class Entry, std::size_t count>
Entry* handle_of(std::atomic<Entry*> (&chains)[count], const char* Entry::*text, const Entry& wanted) noexcept {
  if (wanted.*text == nullptr) return nullptr;
  const WithoutMemoryChecks unchecked;
  auto& chain = chains[hash_of(wanted.*text, ::strnlen(wanted.*text, longest_name)) % count];
  const auto is_wanted = [&](const Entry& entry) noexcept {
    return std::strncmp(entry.*text, wanted.*text, longest_name) == 0;
  };
  const auto drop = [text](Entry* made) noexcept {
    std::free(const_cast<char*>(made->*text));
    std::free(made);
  };
  return find_or_add(
      chain, is_wanted, [&]() noexcept { return make_handle(text, wanted); }, drop);
}

Domain* create_domain(const char* name) noexcept {
  return handle_of(domains, &Domain::name, Domain{1, name, nullptr, 0, nullptr, nullptr});
}

String* create_string(const char* text) noexcept {
  return handle_of(strings, &String::text, String{text, nullptr, 0, nullptr, nullptr});
}

/// One number of an ITT id and its domain.
std::uint64_t number_of(const Domain* domain, const Id& id) noexcept {
  std::uint64_t h = reinterpret_cast<std::uintptr_t>(domain);
  for (const unsigned long long part : {id.d1, id.d2, id.d3}) {
    h = (h ^ part) * 0xff51afd7ed558ccdull;
    h ^= h >> 31;
  }
  return h;
}

Annotation annotation(const Domain* domain, String* name) noexcept {
  return {.language = Language::itt, .domain = number_of(domain), .name = number_of(name)};
}

void id_create(const Domain*, Id) noexcept {}
void task_begin(const Domain* domain, Id, Id, String* name) noexcept {
  push(annotation(domain, name));
}
void task_begin_fn(const Domain* domain, Id, Id, void* function) noexcept {
  char text[40];
  std::snprintf(text, sizeof text, "task of %p", function);
  push({.language = Language::itt, .domain = number_of(domain), .name = name_of(text)});
}
void task_end(const Domain* domain) noexcept {
  pop(Language::itt, number_of(domain));
}
void overlapped_begin(const Domain* domain, Id id, Id, String* name) noexcept {
  start(annotation(domain, name), number_of(domain, id));
}
void overlapped_end(const Domain* domain, Id id) noexcept {
  end(Language::itt, number_of(domain), number_of(domain, id));
}
void marker(const Domain* domain, Id, String* name, int) noexcept {
  mark(annotation(domain, name));
}

/// The older interface: an event is a number, one per name, and its start and end may be anywhere on a thread.
constexpr std::uint32_t most_events = 4096;
constinit std::atomic<std::uint32_t> event_names[most_events]{};

/// The number of the event that has this name, from 1; 0: there are too many.
int event_of(std::uint32_t name) noexcept {
  for (std::uint32_t i = 0; i < most_events; ++i) {
    const std::uint32_t slot = (name + i) % most_events;
    std::uint32_t known = event_names[slot].load(std::memory_order_relaxed);
    if (known == 0 && event_names[slot].compare_exchange_strong(known, name, std::memory_order_relaxed)) known = name;
    if (known == name) return static_cast<int>(slot) + 1;
  }
  tracer().count("words.events_not_kept", 1);
  return 0;
}

int create_event(const char* name, int length) noexcept {
  char* copy = length > 0 ? copy_of(name, static_cast<std::size_t>(length)) : nullptr;
  const std::uint32_t number = name_of(copy);
  std::free(copy);
  return number != 0 ? event_of(number) : 0;
}

std::uint64_t id_of_event(int event) noexcept {
  static thread_local char here __attribute__((tls_model("initial-exec")));
  return reinterpret_cast<std::uintptr_t>(&here) ^ static_cast<std::uint64_t>(event) << 48;
}
bool is_event(int event) noexcept {
  return event >= 1 && event <= static_cast<int>(most_events);
}
int start_event(int event) noexcept {
  if (!is_event(event)) return 0;
  const std::uint32_t name = event_names[event - 1].load(std::memory_order_relaxed);
  return start({.language = Language::itt, .name = name}, id_of_event(event)), 0;
}
int end_event(int event) noexcept {
  if (is_event(event)) end(Language::itt, 0, id_of_event(event));
  return 0;
}

/// LLVM's OpenMP runtime names its threads so, also within fork(), with its locks held; OMPT reports these threads.
bool is_by_runtime(const char* name) noexcept {
  for (const char* own : {"OMP Primary Thread #", "OMP Master Thread #", "OMP Worker Thread #"})
    if (std::strncmp(name, own, std::strlen(own)) == 0) return true;
  return false;
}

void set_thread_name(const char* name) noexcept {
  if (name == nullptr || is_by_runtime(name)) return;
  name_thread(static_cast<std::uint64_t>(::syscall(SYS_gettid)), name);
}

}  // namespace

// Names get their numbers when they are first used: OpenMP runtimes create domains in every program.
std::uint32_t number_of(const Domain* domain) noexcept {
  if (domain == nullptr) return 0;
  if (domain->number == 0)
    __atomic_store_n(&const_cast<Domain*>(domain)->number, static_cast<int>(name_of(domain->name)), __ATOMIC_RELAXED);
  return static_cast<std::uint32_t>(domain->number);
}

std::uint32_t number_of(String* string) noexcept {
  if (string == nullptr) return 0;
  if (string->number == 0) __atomic_store_n(&string->number, static_cast<int>(name_of(string->text)), __ATOMIC_RELAXED);
  return static_cast<std::uint32_t>(string->number);
}

}  // namespace tracer::words::itt

extern "C" [[gnu::visibility("default")]] void __itt_api_init(tracer::words::itt::Global* global, int) {
  using namespace tracer::words::itt;
  constexpr unsigned long known_version = 3;
  if (global == nullptr || std::memcmp(global->magic, magic, sizeof magic) != 0) return;
  if (global->version_major != known_version || global->functions == nullptr) return;
  const Row rows[] = {row("__itt_domain_create", create_domain),
                      row("__itt_string_handle_create", create_string),
                      row("__itt_id_create", id_create),
                      row("__itt_id_destroy", id_create),
                      row("__itt_task_begin", task_begin),
                      row("__itt_task_begin_fn", task_begin_fn),
                      row("__itt_task_end", task_end),
                      row("__itt_task_begin_overlapped", overlapped_begin),
                      row("__itt_task_end_overlapped", overlapped_end),
                      row("__itt_region_begin", overlapped_begin),
                      row("__itt_region_end", overlapped_end),
                      row("__itt_marker", marker),
                      row("__itt_event_create", create_event),
                      row("__itt_event_start", start_event),
                      row("__itt_event_end", end_event),
                      row("__itt_thread_set_name", set_thread_name)};
  for (ApiRow* api = global->functions; api->name != nullptr; ++api) {
    void* function = nullptr;
    for (const Row& ours : rows)
      if (std::strcmp(ours.name, api->name) == 0) function = ours.function;
    if (function == nullptr) function = counter_function(api->name);
    if (function == nullptr) function = metadata_function(api->name);
    if (api->function != nullptr) *api->function = function != nullptr ? function : api->nothing;
  }
}
