// SPDX-License-Identifier: BSD-3-Clause
// Names and records. Names are never freed: an annotation in the program's last destructor still needs one.
#include "tracer/annotations/annotation.hpp"

#include <pthread.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tracer/base/memory_checks.hpp"
#include "tracer/connect.h"
#include "tracer/program_names.hpp"
#include "tracer/property_names.hpp"

namespace tracer::words {
namespace {

// Record kinds and endpoints, as in include/tracer/record.hpp.
enum : std::uint32_t { range_push = 38, range_pop, range_start, range_end, range_mark, range_counter };
enum : std::uint32_t { at_no_end = 0, at_begin = 1, at_the_end = 2 };

constinit std::atomic<const tracer_front_end*> connected{nullptr};
constinit pthread_once_t once = PTHREAD_ONCE_INIT;

constexpr tracer_front_end nobody{
    .version = TRACER_FRONT_END_VERSION,
    .size = sizeof(tracer_front_end),
    .emit = [](std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t) {},
    .emit_more = [](std::uint64_t, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t, const tracer_more*) {},
    .emit_at = [](std::uint64_t, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t) {},
    .now = []() -> std::uint64_t { return 0; },
    .intern = [](const char*, std::size_t) -> std::uint32_t { return 0; },
    .message = [](const char*) {},
    .count = [](const char*, std::uint64_t) {},
    .fact = [](const char*, const char*) {},
    .at_end = [](void (*)(void*), void*) { return 0; },
    .recording = [] { return 0; },
    .directory = []() -> const char* { return ""; },
    .clocks_of_launch = [](std::uint32_t, std::uint32_t, std::uint64_t*) { return 0; },
    .records_polls = [] { return 1; },
    .ompt_handler = nullptr,  // annotations never request these
    .ompt_thread_begin = nullptr,
    .see_place = nullptr,
    .new_id = nullptr,
    .lane = nullptr,
    .records_chunks = nullptr,
    .save = nullptr,
};

void connect() {
  const WithoutMemoryChecks unchecked;
  const tracer_front_end* table = tracer_find_and_connect(reinterpret_cast<const void*>(&tracer));
  connected.store(table != nullptr && table->size >= sizeof nobody ? table : &nobody, std::memory_order_release);
}

/// A name that was met: immutable once it can be found.
struct Name {
  const Name* next;  ///< in its chain
  std::uint64_t hash;
  std::uint32_t id;
  std::uint32_t length;  ///< longest_name: that much of it was compared, and there may be more
  char text[];
};

constexpr std::size_t chains = 4096, recent_count = 4096;
constinit std::atomic<const Name*> names[chains]{};
/// What a pointer meant last. Whatever a race leaves here is checked against the text itself.
constinit std::atomic<const Name*> recent[recent_count]{};
constinit std::atomic<std::uint32_t> name_count{0};
constinit std::atomic<std::size_t> name_bytes{0};

std::uint32_t make_name(const char* text, std::size_t length, std::uint64_t hash) noexcept {
  const tracer_front_end& to = tracer();
  if (name_count.load(std::memory_order_relaxed) >= most_program_names ||
      name_bytes.load(std::memory_order_relaxed) + length > most_program_name_bytes)
    return one_of_too_many_names(to);
  const std::uint32_t id = to.intern(text, length);
  if (id == 0) return 0;
  if (length == longest_name) to.count("words.names_cut", 1);
  auto* made = static_cast<Name*>(std::malloc(sizeof(Name) + length));
  if (made == nullptr) return id;
  made->hash = hash;
  made->id = id;
  made->length = static_cast<std::uint32_t>(length);
  std::memcpy(made->text, text, length);
  auto& chain = names[hash % chains];
  const Name* first = chain.load(std::memory_order_relaxed);
  do {
    made->next = first;
  } while (!chain.compare_exchange_weak(first, made, std::memory_order_release, std::memory_order_relaxed));
  name_count.fetch_add(1, std::memory_order_relaxed);
  name_bytes.fetch_add(length, std::memory_order_relaxed);
  return id;
}

bool is(const Name& name, const char* text) noexcept {
  if (std::strncmp(name.text, text, name.length) != 0) return false;
  return name.length == longest_name || text[name.length] == '\0';
}

std::uint32_t word(std::uint32_t kind, std::uint32_t endpoint, const Annotation& annotation) noexcept {
  const auto sub = static_cast<std::uint32_t>(annotation.language) | static_cast<std::uint32_t>(annotation.payload_type)
                                                                         << 4;
  return TRACER_WORD(kind, endpoint, sub);
}

std::uint64_t where(const Annotation& annotation) noexcept {
  return annotation.domain | static_cast<std::uint64_t>(annotation.details) << 32;
}

/// Category and colour that were met together.
struct Details {
  std::uint64_t key;
  const char* category_name;
  std::uint32_t id;
};
constinit std::atomic<const Details*> details[512]{};

}  // namespace

std::uint64_t hash_of(const char* text, std::size_t length) noexcept {
  std::uint64_t h = 0x9e3779b97f4a7c15ull ^ length;
  for (std::size_t i = 0; i + 8 <= length; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text + i, 8);
    h = (h ^ word) * 0xff51afd7ed558ccdull;
    h ^= h >> 32;
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, text + (length & ~std::size_t{7}), length & 7);
  h = (h ^ rest) * 0xff51afd7ed558ccdull;
  return h ^ (h >> 29);
}

const tracer_front_end& tracer() noexcept {
  const tracer_front_end* table = connected.load(std::memory_order_acquire);
  if (table != nullptr) [[likely]]
    return *table;
  ::pthread_once(&once, connect);
  return *connected.load(std::memory_order_acquire);
}

std::uint32_t name_of(const char* text) noexcept {
  if (text == nullptr) return 0;
  const WithoutMemoryChecks unchecked;
  const auto address = reinterpret_cast<std::uintptr_t>(text);
  auto& last = recent[(address * 0x9e3779b97f4a7c15ull) >> 52];
  const Name* known = last.load(std::memory_order_acquire);
  if (known != nullptr && is(*known, text)) [[likely]]
    return known->id;
  const std::size_t length = ::strnlen(text, longest_name);
  const std::uint64_t hash = hash_of(text, length);
  const auto find = [&]() noexcept {
    const Name* name = names[hash % chains].load(std::memory_order_acquire);
    while (name != nullptr &&
           (name->hash != hash || name->length != length || std::memcmp(name->text, text, length) != 0))
      name = name->next;
    return name;
  };
  known = find();
  if (known == nullptr) {
    const std::uint32_t id = make_name(text, length, hash);
    if ((known = find()) == nullptr) return id;
  }
  last.store(known, std::memory_order_release);
  return known->id;
}

char* copy_of(const char* text, std::size_t most) noexcept {
  if (text == nullptr) return nullptr;
  const WithoutMemoryChecks unchecked;
  const std::size_t length = ::strnlen(text, most);
  char* copy = static_cast<char*>(std::malloc(length + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

char* utf8_of(const wchar_t* text) noexcept {
  if (text == nullptr) return nullptr;
  std::size_t length = 0;
  while (length < longest_name / 4 && text[length] != L'\0') ++length;
  char* bytes = static_cast<char*>(std::malloc(4 * length + 1));
  if (bytes == nullptr) return nullptr;
  char* to = bytes;
  for (std::size_t i = 0; i < length; ++i) {
    auto c = static_cast<std::uint32_t>(text[i]);
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
    if (c < 0x80) {
      *to++ = static_cast<char>(c);
      continue;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    *to++ = static_cast<char>((0xff00u >> (more + 1) & 0xff) | c >> (6 * more));
    for (int n = more - 1; n >= 0; --n) *to++ = static_cast<char>(0x80 | (c >> (6 * n) & 0x3f));
  }
  *to = '\0';
  return bytes;
}

std::uint32_t name_of(const wchar_t* text) noexcept {
  char* bytes = utf8_of(text);
  const std::uint32_t id = name_of(bytes);
  std::free(bytes);
  return id;
}

// "#aarrggbb category", either part may be missing: read by the translator.
std::uint32_t details_of(std::uint32_t category, const char* category_name, bool has_color,
                         std::uint32_t argb) noexcept {
  if (category == 0 && !has_color) return 0;
  const std::uint64_t key =
      static_cast<std::uint64_t>(category) << 33 | static_cast<std::uint64_t>(has_color) << 32 | (has_color ? argb : 0);
  auto& slot = details[((key ^ reinterpret_cast<std::uintptr_t>(category_name)) * 0x9e3779b97f4a7c15ull) >> 55];
  const Details* known = slot.load(std::memory_order_acquire);
  if (known != nullptr && known->key == key && known->category_name == category_name) [[likely]]
    return known->id;
  char text[300];
  int length = 0;
  if (has_color) length = std::snprintf(text, sizeof text, "#%08x", argb);
  if (category != 0 && category_name != nullptr)
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " %s", category_name);
  else if (category != 0)
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " %u", category);
  const std::uint32_t id = name_of(text);
  auto* made = static_cast<Details*>(std::malloc(sizeof(Details)));  // lost when another takes its place: 512 at a time
  if (id == 0 || made == nullptr || known != nullptr) {
    std::free(made);
    return id;
  }
  *made = {key, category_name, id};
  if (const Details* none = nullptr; !slot.compare_exchange_strong(none, made, std::memory_order_release))
    std::free(made);
  return id;
}

void push(const Annotation& annotation) noexcept {
  tracer().emit(word(range_push, at_begin, annotation), annotation.name, where(annotation), annotation.payload);
}

void pop(Language language, std::uint32_t domain) noexcept {
  tracer().emit(TRACER_WORD(range_pop, at_the_end, static_cast<std::uint32_t>(language)), 0, domain, 0);
}

void start(const Annotation& annotation, std::uint64_t id) noexcept {
  if (annotation.payload_type == Payload::none)
    return tracer().emit(word(range_start, at_begin, annotation), annotation.name, where(annotation), id);
  tracer_more more{};
  more.b = annotation.payload;
  tracer().emit_more(0, word(range_start, at_begin, annotation), annotation.name, where(annotation), id, &more);
}

void end(Language language, std::uint32_t domain, std::uint64_t id) noexcept {
  tracer().emit(TRACER_WORD(range_end, at_the_end, static_cast<std::uint32_t>(language)), 0, domain, id);
}

void mark(const Annotation& annotation) noexcept {
  tracer().emit(word(range_mark, at_no_end, annotation), annotation.name, where(annotation), annotation.payload);
}

void counter(const Annotation& annotation) noexcept {
  tracer().emit(word(range_counter, at_no_end, annotation), annotation.name, where(annotation), annotation.payload);
}

void name_thread(std::uint64_t os_thread_id, const char* name) noexcept {
  if (name == nullptr) return;
  char key[40];
  std::snprintf(key, sizeof key, "%s%llu", properties::thread_name_fact, static_cast<unsigned long long>(os_thread_id));
  tracer().fact(key, name);
}

std::uint64_t next_range_id() noexcept {
  static constinit std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace tracer::words
