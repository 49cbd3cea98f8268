// SPDX-License-Identifier: BSD-3-Clause
// NVTX 3: the program's header finds this library by NVTX_INJECTION64_PATH, or in a static program by a symbol, calls
// InitializeInjectionNvtx2 at the first use, and is given a function for each of its own.
#include <pthread.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tracer/annotations/nvtx.hpp"

namespace tracer::words::nvtx {
namespace {

struct EventAttributes {
  std::uint16_t version;
  std::uint16_t size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type;
  std::int32_t payload_count;  ///< of the payload extension's data
  union {
    std::uint64_t u64;
    std::int64_t i64;
    double real;
    std::uint32_t u32;
    std::int32_t i32;
    float single;
  } payload;
  std::int32_t message_type;
  union {
    const char* ascii;
    const wchar_t* wide;
    const void* registered;
  } message;
};
static_assert(sizeof(EventAttributes) == 48);
constexpr auto extended_payload = static_cast<std::int32_t>(0xDFBD0009u);  // NVTX_PAYLOAD_TYPE_EXT

constinit Domain default_domain;

/// A program may name its category again at each use.
void name_category(Domain& domain, std::uint32_t number, const char* name) noexcept {
  if (name == nullptr) return;
  constexpr std::size_t longest = 255;
  const char* known = category_name(domain, number);
  if (known != nullptr && std::strncmp(known, name, longest) == 0) return;
  const std::size_t length = ::strnlen(name, longest);
  auto* made = static_cast<Category*>(std::malloc(sizeof(Category) + length + 1));
  if (made == nullptr) return;
  made->number = number;
  std::memcpy(made->name, name, length);
  made->name[length] = '\0';
  const Category* first = domain.categories.load(std::memory_order_relaxed);
  do {
    made->next = first;
  } while (!domain.categories.compare_exchange_weak(first, made, std::memory_order_release));
}

void name_category(Domain& domain, std::uint32_t number, const wchar_t* name) noexcept {
  char* bytes = utf8_of(name);
  name_category(domain, number, bytes);
  std::free(bytes);
}

std::uint32_t message_of(const EventAttributes& annotation) noexcept {
  switch (annotation.message_type) {
    case 1:
      return name_of(annotation.message.ascii);
    case 2:
      return name_of(annotation.message.wide);
    case 3:
      return annotation.message.registered != nullptr
                 ? static_cast<const Registered*>(annotation.message.registered)->name
                 : 0;
    default:
      return 0;
  }
}

void read_payload(const EventAttributes& from, Annotation& to) noexcept {
  switch (from.payload_type) {
    case 1:
      to.payload_type = Payload::unsigned_integer;
      to.payload = from.payload.u64;
      return;
    case 2:
      to.payload_type = Payload::signed_integer;
      to.payload = from.payload.u64;
      return;
    case 3:
      to.payload_type = Payload::real;
      to.payload = bits_of(from.payload.real);
      return;
    case 4:
      to.payload_type = Payload::unsigned_integer;
      to.payload = from.payload.u32;
      return;
    case 5:
      to.payload_type = Payload::signed_integer;
      to.payload = static_cast<std::uint64_t>(std::int64_t{from.payload.i32});
      return;
    case 6:
      to.payload_type = Payload::real;
      to.payload = bits_of(double{from.payload.single});
      return;
    default:
      return;
  }
}

Annotation annotation_of(const void* handle, const EventAttributes* attributes) noexcept {
  const Domain& domain = domain_at(handle);
  Annotation annotation{.language = Language::nvtx, .domain = domain.name};
  if (attributes == nullptr || attributes->size < sizeof(EventAttributes)) return annotation;
  annotation.name = message_of(*attributes);
  if (attributes->category != 0 || attributes->color_type == 1) {
    const char* name = attributes->category != 0 ? category_name(domain, attributes->category) : nullptr;
    annotation.details = details_of(attributes->category, name, attributes->color_type == 1, attributes->color);
  }
  if (attributes->payload_type == extended_payload)
    read_extended(domain, reinterpret_cast<const PayloadData*>(attributes->payload.u64),
                  static_cast<std::uint32_t>(attributes->payload_count), annotation);
  else if (attributes->payload_type != 0)
    read_payload(*attributes, annotation);
  return annotation;
}

template <class Text>
Annotation annotation_of(Text text) noexcept {
  return {.language = Language::nvtx, .name = name_of(text)};
}

std::uint64_t start_range(const Annotation& annotation) noexcept {
  const std::uint64_t id = next_range_id();
  start(annotation, id);
  return id;
}

// The functions, under the names of their originals. Push and pop may return their depth; to count it would cost more
// than the record.
int push_ex(const EventAttributes* a) noexcept {
  return push(annotation_of(nullptr, a)), no_depth;
}
int push_a(const char* text) noexcept {
  return push(annotation_of(text)), no_depth;
}
int push_w(const wchar_t* text) noexcept {
  return push(annotation_of(text)), no_depth;
}
int pop_default() noexcept {
  return pop(Language::nvtx, 0), no_depth;
}
void mark_ex(const EventAttributes* a) noexcept {
  mark(annotation_of(nullptr, a));
}
void mark_a(const char* text) noexcept {
  mark(annotation_of(text));
}
void mark_w(const wchar_t* text) noexcept {
  mark(annotation_of(text));
}
std::uint64_t start_ex(const EventAttributes* a) noexcept {
  return start_range(annotation_of(nullptr, a));
}
std::uint64_t start_a(const char* text) noexcept {
  return start_range(annotation_of(text));
}
std::uint64_t start_w(const wchar_t* text) noexcept {
  return start_range(annotation_of(text));
}
void end_default(std::uint64_t id) noexcept {
  end(Language::nvtx, 0, id);
}
void category_a(std::uint32_t number, const char* name) noexcept {
  name_category(default_domain, number, name);
}
void category_w(std::uint32_t number, const wchar_t* name) noexcept {
  name_category(default_domain, number, name);
}
void thread_a(std::uint32_t thread, const char* name) noexcept {
  name_thread(thread, name);
}
void thread_w(std::uint32_t thread, const wchar_t* name) noexcept {
  char* bytes = utf8_of(name);
  name_thread(thread, bytes);
  std::free(bytes);
}

void domain_mark(const void* domain, const EventAttributes* a) noexcept {
  mark(annotation_of(domain, a));
}
std::uint64_t domain_start(const void* domain, const EventAttributes* a) noexcept {
  return start_range(annotation_of(domain, a));
}
void domain_end(const void* domain, std::uint64_t id) noexcept {
  end(Language::nvtx, domain_at(domain).name, id);
}
int domain_push(const void* domain, const EventAttributes* a) noexcept {
  return push(annotation_of(domain, a)), no_depth;
}
int domain_pop(const void* domain) noexcept {
  return pop(Language::nvtx, domain_at(domain).name), no_depth;
}
void domain_category_a(const void* domain, std::uint32_t number, const char* name) noexcept {
  name_category(domain_at(domain), number, name);
}
void domain_category_w(const void* domain, std::uint32_t number, const wchar_t* name) noexcept {
  name_category(domain_at(domain), number, name);
}

template <class Text>
const void* register_string(const void*, Text text) noexcept {
  auto* made = static_cast<Registered*>(std::malloc(sizeof(Registered)));
  if (made != nullptr) made->name = name_of(text);
  return made;
}

template <class Text>
const void* create_domain(Text text) noexcept {
  void* memory = std::malloc(sizeof(Domain));
  if (memory == nullptr) return nullptr;
  auto* made = new (memory) Domain;
  made->name = name_of(text);
  return made;
}

void destroy_domain(const void*) noexcept {}
void initialize(const void*) noexcept {}

using GetExportTable = const void* (*)(std::uint32_t);
struct Callbacks {
  std::size_t size;
  int (*get_module_function_table)(int module, Function*** table, unsigned* size);
};

void install(const Callbacks& callbacks, int module, const Row* begin, const Row* end_of_rows) noexcept {
  Function** table = nullptr;
  unsigned size = 0;
  if (callbacks.get_module_function_table(module, &table, &size) == 0 || table == nullptr) return;
  for (const Row* row = begin; row != end_of_rows; ++row)
    if (row->id < size && table[row->id] != nullptr) *table[row->id] = row->function;
}

}  // namespace

Domain& domain_at(const void* handle) noexcept {
  return handle != nullptr ? *const_cast<Domain*>(static_cast<const Domain*>(handle)) : default_domain;
}

const char* category_name(const Domain& domain, std::uint32_t number) noexcept {
  for (const Category* c = domain.categories.load(std::memory_order_acquire); c != nullptr; c = c->next)
    if (c->number == number) return c->name;
  return nullptr;
}

}  // namespace tracer::words::nvtx

// 1: the functions are there. 0: the header gives its own, which do nothing.
extern "C" [[gnu::visibility("default")]] int InitializeInjectionNvtx2(tracer::words::nvtx::GetExportTable get) {
  using namespace tracer::words::nvtx;
  constexpr std::uint32_t callbacks_table = 1;
  constexpr int core = 1, core2 = 5;
  if (get == nullptr) return 0;
  const auto* callbacks = static_cast<const Callbacks*>(get(callbacks_table));
  if (callbacks == nullptr || callbacks->size < sizeof(Callbacks) || callbacks->get_module_function_table == nullptr)
    return 0;
  const Row core_rows[] = {{1, plain(mark_ex)},     {2, plain(mark_a)},       {3, plain(mark_w)},
                           {4, plain(start_ex)},    {5, plain(start_a)},      {6, plain(start_w)},
                           {7, plain(end_default)}, {8, plain(push_ex)},      {9, plain(push_a)},
                           {10, plain(push_w)},     {11, plain(pop_default)}, {12, plain(category_a)},
                           {13, plain(category_w)}, {14, plain(thread_a)},    {15, plain(thread_w)}};
  const Row core2_rows[] = {{1, plain(domain_mark)},
                            {2, plain(domain_start)},
                            {3, plain(domain_end)},
                            {4, plain(domain_push)},
                            {5, plain(domain_pop)},
                            {8, plain(domain_category_a)},
                            {9, plain(domain_category_w)},
                            {10, plain(register_string<const char*>)},
                            {11, plain(register_string<const wchar_t*>)},
                            {12, plain(create_domain<const char*>)},
                            {13, plain(create_domain<const wchar_t*>)},
                            {14, plain(destroy_domain)},
                            {15, plain(initialize)}};
  install(*callbacks, core, core_rows, core_rows + sizeof core_rows / sizeof *core_rows);
  install(*callbacks, core2, core2_rows, core2_rows + sizeof core2_rows / sizeof *core2_rows);
  return 1;
}
