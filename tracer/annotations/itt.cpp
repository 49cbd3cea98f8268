// SPDX-License-Identifier: BSD-3-Clause
// ITT: each library that contains ITT's static part finds this one by INTEL_LIBITTNOTIFY64 and hands its list of
// functions to __itt_api_init, which fills in those that say something of the program: tasks, regions, markers,
// counters. Synchronisation and frames stay with the functions that do nothing: OpenMP runtimes have ITT hooks of their
// own for what they tell OMPT as well, and everything would be there twice.
//
// The layouts are those of ITT's public sources (ittnotify.h, ittnotify_config.h; interface version 3).
#include <pthread.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tracer/annotations/words.hpp"

namespace tracer::words {
namespace {

struct Id {
  unsigned long long d1, d2, d3;
};

struct Domain {
  volatile int flags;  ///< 0: the program's macros call nothing
  const char* name;
  void* wide_name;
  int number;  ///< ours: of the name
  void* extra;
  Domain* next;
};

struct String {
  const char* text;
  void* wide_text;
  int number;  ///< ours: of the text
  void* extra;
  String* next;
};

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

/// Handles, one per text and kind, never freed. Under the lock.
constinit pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
constinit Domain* domains = nullptr;
constinit String* strings = nullptr;

char* copy_of(const char* text) noexcept {
  const std::size_t length = ::strnlen(text, 4096);
  char* copy = static_cast<char*>(std::malloc(length + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

Domain* create_domain(const char* name) noexcept {
  if (name == nullptr) return nullptr;
  ::pthread_mutex_lock(&lock);
  Domain* found = domains;
  while (found != nullptr && std::strcmp(found->name, name) != 0) found = found->next;
  if (found == nullptr) {
    found = static_cast<Domain*>(std::calloc(1, sizeof(Domain)));
    if (found != nullptr && (found->name = copy_of(name)) == nullptr) {
      std::free(found);
      found = nullptr;
    }
    if (found != nullptr) {
      found->flags = 1;
      found->next = domains;
      domains = found;
    }
  }
  ::pthread_mutex_unlock(&lock);
  return found;
}

String* create_string(const char* text) noexcept {
  if (text == nullptr) return nullptr;
  ::pthread_mutex_lock(&lock);
  String* found = strings;
  while (found != nullptr && std::strcmp(found->text, text) != 0) found = found->next;
  if (found == nullptr) {
    found = static_cast<String*>(std::calloc(1, sizeof(String)));
    if (found != nullptr && (found->text = copy_of(text)) == nullptr) {
      std::free(found);
      found = nullptr;
    }
    if (found != nullptr) {
      found->next = strings;
      strings = found;
    }
  }
  ::pthread_mutex_unlock(&lock);
  return found;
}

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

/// One number of an ITT id and its domain.
std::uint64_t number_of(const Domain* domain, const Id& id) noexcept {
  std::uint64_t h = reinterpret_cast<std::uintptr_t>(domain);
  for (const unsigned long long part : {id.d1, id.d2, id.d3}) {
    h = (h ^ part) * 0xff51afd7ed558ccdull;
    h ^= h >> 31;
  }
  return h;
}

Said said(const Domain* domain, String* name) noexcept {
  return {.language = Language::itt, .domain = number_of(domain), .name = number_of(name)};
}

void id_create(const Domain*, Id) noexcept {}
void task_begin(const Domain* domain, Id, Id, String* name) noexcept {
  push(said(domain, name));
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
  start(said(domain, name), number_of(domain, id));
}
void overlapped_end(const Domain* domain, Id id) noexcept {
  end(Language::itt, number_of(domain), number_of(domain, id));
}
void marker(const Domain* domain, Id, String* name, int) noexcept {
  mark(said(domain, name));
}

/// What an __itt_counter points to. Never freed.
struct Counter {
  std::uint32_t name, domain;
  int type;
  std::atomic<std::uint64_t> value;
};
enum : int { type_u64 = 1, type_s64, type_u32, type_s32, type_u16, type_s16, type_float, type_double };

Counter* make_counter(std::uint32_t domain, const char* name, int type) noexcept {
  auto* made = static_cast<Counter*>(std::calloc(1, sizeof(Counter)));
  if (made == nullptr) return nullptr;
  made->name = name_of(name);
  made->domain = domain;
  made->type = type;
  return made;
}
Counter* create_counter(const char* name, const char* domain) noexcept {
  return make_counter(name_of(domain), name, type_u64);
}
Counter* create_typed_counter(const char* name, const char* domain, int type) noexcept {
  return make_counter(name_of(domain), name, type);
}
Counter* create_counter_v3(const Domain* domain, const char* name, int type) noexcept {
  return make_counter(number_of(domain), name, type);
}

void tell(const Counter& counted, std::uint64_t value) noexcept {
  const bool is_real = counted.type == type_float || counted.type == type_double;
  const bool has_sign = counted.type == type_s64 || counted.type == type_s32 || counted.type == type_s16;
  counter({.language = Language::itt,
           .domain = counted.domain,
           .name = counted.name,
           .payload_type = is_real    ? Payload::real
                           : has_sign ? Payload::signed_integer
                                      : Payload::unsigned_integer,
           .payload = value});
}

void add_to(Counter* counted, std::uint64_t amount) noexcept {
  if (counted == nullptr || counted->type == type_float || counted->type == type_double) return;
  tell(*counted, counted->value.fetch_add(amount, std::memory_order_relaxed) + amount);
}
void counter_inc(Counter* counted) noexcept {
  add_to(counted, 1);
}
void counter_inc_delta(Counter* counted, unsigned long long delta) noexcept {
  add_to(counted, delta);
}
void counter_dec(Counter* counted) noexcept {
  add_to(counted, ~std::uint64_t{0});
}
void counter_dec_delta(Counter* counted, unsigned long long delta) noexcept {
  add_to(counted, 0 - delta);
}

template <class Number>
std::uint64_t read_as(const void* value) noexcept {
  Number number;
  std::memcpy(&number, value, sizeof number);
  return static_cast<std::uint64_t>(number);
}
std::uint64_t bits_of(double value) noexcept {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

void counter_set(Counter* counted, void* value) noexcept {
  if (counted == nullptr || value == nullptr) return;
  std::uint64_t number = 0;
  switch (counted->type) {
    case type_u64:
    case type_s64:
      number = read_as<std::uint64_t>(value);
      break;
    case type_u32:
      number = read_as<std::uint32_t>(value);
      break;
    case type_s32:
      number = read_as<std::int32_t>(value);
      break;
    case type_u16:
      number = read_as<std::uint16_t>(value);
      break;
    case type_s16:
      number = read_as<std::int16_t>(value);
      break;
    case type_float: {
      float real;
      std::memcpy(&real, value, sizeof real);
      number = bits_of(real);
      break;
    }
    case type_double:
      number = read_as<std::uint64_t>(value);
      break;
    default:
      return;
  }
  counted->value.store(number, std::memory_order_relaxed);
  tell(*counted, number);
}

struct Row {
  const char* name;
  void* function;
};
template <class Original>
Row row(const char* name, Original* function) noexcept {
  return {name, reinterpret_cast<void*>(function)};
}

}  // namespace
}  // namespace tracer::words

extern "C" [[gnu::visibility("default")]] void __itt_api_init(tracer::words::Global* global, int) {
  using namespace tracer::words;
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
                      row("__itt_counter_create", create_counter),
                      row("__itt_counter_create_typed", create_typed_counter),
                      row("__itt_counter_create_v3", create_counter_v3),
                      row("__itt_counter_inc", counter_inc),
                      row("__itt_counter_inc_delta", counter_inc_delta),
                      row("__itt_counter_dec", counter_dec),
                      row("__itt_counter_dec_delta", counter_dec_delta),
                      row("__itt_counter_set_value", counter_set),
                      row("__itt_counter_set_value_v3", counter_set)};
  for (ApiRow* api = global->functions; api->name != nullptr; ++api) {
    void* function = api->nothing;
    for (const Row& ours : rows)
      if (std::strcmp(ours.name, api->name) == 0) function = ours.function;
    if (api->function != nullptr) *api->function = function;
  }
}
