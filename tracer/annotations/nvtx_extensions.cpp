// SPDX-License-Identifier: BSD-3-Clause
// NVTX's extensions: payloads of several fields, and counters. The program's header calls
// InitializeInjectionNvtxExtension once per extension, after InitializeInjectionNvtx2.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tracer/annotations/nvtx_schemas.hpp"

namespace tracer::words::nvtx {
namespace {

enum : std::uint64_t {  // what a field is for
  is_message = 1 << 10,
};
enum : std::uint64_t { type_category = 68, type_color = 69, type_c_string = 75, type_utf8_string = 76 };
constexpr std::uint64_t first_schema_of_program = 1 << 24;
constexpr std::size_t size_unknown = ~std::size_t{0};

/// The fields of one payload, in turn.
class Reader {
 public:
  Reader(const Domain& domain, Annotation& annotation) noexcept : domain_(domain), annotation_(annotation) {}
  ~Reader() {
    if (category_ != 0 || has_color_) {
      const char* name = category_ != 0 ? category_name(domain_, category_) : nullptr;
      annotation_.details = details_of(category_, name, has_color_, color_);
    }
    if (left_out_ != 0) tracer().count("words.payload_fields_left_out", left_out_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  void read(const PayloadData& data) noexcept {
    if (data.schema == type_c_string || data.schema == type_utf8_string) {  // the bytes are the text
      const char* text = static_cast<const char*>(data.bytes);
      return take({}, {Payload::text, data.size == size_unknown || ends(text, data.size) ? name_of(text) : 0});
    }
    if (data.schema < first_schema_of_program) return take({}, value_of({.type = data.schema}, data.bytes, data.size));
    const Schema* schema = schema_at(domain_, data.schema);
    if (schema == nullptr) return take({}, {});
    for (std::size_t i = 0; i < schema->count; ++i)
      take(schema->fields[i], value_of(schema->fields[i], data.bytes, data.size));
  }

 private:
  static bool ends(const char* text, std::size_t size) noexcept {
    return text != nullptr && std::memchr(text, '\0', size) != nullptr;
  }
  void take(const Field& field, Value value) noexcept {
    if ((field.flags & is_message) != 0 && value.type == Payload::text) {
      annotation_.name = static_cast<std::uint32_t>(value.bits);
    } else if (field.type == type_category) {
      category_ = static_cast<std::uint32_t>(value.bits);
    } else if (field.type == type_color) {
      color_ = static_cast<std::uint32_t>(value.bits);
      has_color_ = true;
    } else if (value.type == Payload::none || annotation_.payload_type != Payload::none) {
      ++left_out_;
    } else {
      annotation_.payload_type = value.type;
      annotation_.payload = value.bits;
    }
  }

  const Domain& domain_;
  Annotation& annotation_;
  std::uint32_t category_ = 0, color_ = 0;
  bool has_color_ = false;
  std::uint64_t left_out_ = 0;
};

Annotation annotation_with(const void* handle, const PayloadData* data, std::size_t count) noexcept {
  const Domain& domain = domain_at(handle);
  Annotation annotation{.language = Language::nvtx, .domain = domain.name};
  read_extended(domain, data, count, annotation);
  return annotation;
}

void mark_payload(const void* domain, const PayloadData* data, std::size_t count) noexcept {
  mark(annotation_with(domain, data, count));
}
int push_payload(const void* domain, const PayloadData* data, std::size_t count) noexcept {
  return push(annotation_with(domain, data, count)), no_depth;
}
int pop_payload(const void* domain, const PayloadData*, std::size_t) noexcept {
  return pop(Language::nvtx, domain_at(domain).name), no_depth;
}
std::uint64_t start_payload(const void* domain, const PayloadData* data, std::size_t count) noexcept {
  const std::uint64_t id = next_range_id();
  start(annotation_with(domain, data, count), id);
  return id;
}
void end_payload(const void* domain, std::uint64_t id, const PayloadData*, std::size_t) noexcept {
  end(Language::nvtx, domain_at(domain).name, id);
}
std::uint8_t is_enabled(const void*) noexcept {
  return tracer().recording() != 0 ? 1 : 0;
}
std::uint64_t register_scope(const void*, const void*) noexcept {
  return next_dynamic_id();
}
std::uint64_t register_time_domain(const void*, const void*) noexcept {
  return next_dynamic_id();
}
std::int64_t timestamp() noexcept {
  return static_cast<std::int64_t>(tracer().now());
}
/// Events with times of the program's own.
void left_out_events(const void*, const void*) noexcept {
  tracer().count("words.deferred_events_left_out", 1);
}

/// nvtxCounterAttr_t.
struct CounterAttributes {
  std::size_t size;
  std::uint64_t schema;
  const char *name, *description;
  std::uint64_t scope;
  const Semantics* semantics;
  std::uint64_t id;
};

struct Counter {
  Field field;
  std::uint32_t name;
};
/// A counter, or several that are sampled together. Made once, never freed.
struct Counters {
  const Counters* next;
  const Domain* domain;
  std::uint64_t id;
  std::size_t count;
  Counter counters[];
};
constinit std::atomic<const Counters*> all_counters{nullptr};

const Counters* counters_at(const void* handle, std::uint64_t id) noexcept {
  const Domain& domain = domain_at(handle);
  for (const Counters* c = all_counters.load(std::memory_order_acquire); c != nullptr; c = c->next)
    if (c->id == id && c->domain == &domain) return c;
  return nullptr;
}

void describe(const CounterAttributes& from, const Schema* schema, Counters& to) noexcept {
  const std::uint32_t unit = unit_of(from.semantics);
  if (schema == nullptr) {
    to.counters[to.count++] = {{.type = from.schema, .unit = unit}, name_of(from.name)};
    return;
  }
  const char* const group = from.name != nullptr ? from.name : "counters";
  for (std::size_t i = 0; i < schema->count; ++i) {
    Counter one{schema->fields[i], 0};
    if (!is_number(one.field.type)) continue;
    if (one.field.unit == 0) one.field.unit = unit;
    char name[300];
    std::snprintf(name, sizeof name, one.field.name != nullptr ? "%.140s: %.140s" : "%.140s", group, one.field.name);
    one.name = name_of(name);
    to.counters[to.count++] = one;
  }
}

std::uint64_t register_counter(const void* domain, const CounterAttributes* from) noexcept {
  if (from == nullptr || from->size < sizeof(CounterAttributes)) return 0;
  const Schema* schema = from->schema >= first_schema_of_program ? schema_at(domain_at(domain), from->schema) : nullptr;
  auto* made = static_cast<Counters*>(
      std::calloc(1, sizeof(Counters) + (schema != nullptr ? schema->count : 1) * sizeof(Counter)));
  if (made == nullptr) return 0;
  made->domain = &domain_at(domain);
  made->id = from->id != 0 ? from->id : next_dynamic_id();
  describe(*from, schema, *made);
  const Counters* first = all_counters.load(std::memory_order_relaxed);
  do {
    made->next = first;
  } while (!all_counters.compare_exchange_weak(first, made, std::memory_order_release));
  return made->id;
}

void record_value(const Counters& of, const Counter& one, Value value) noexcept {
  if (value.type == Payload::none || value.type == Payload::text) return;
  counter({.language = Language::nvtx,
           .domain = of.domain->name,
           .name = one.name,
           .details = one.field.unit,
           .payload_type = value.type,
           .payload = value.bits});
}

/// The type that a counter of integers was registered with decides whether its values have a sign.
void sample_integer(const void* domain, std::uint64_t id, std::int64_t value) noexcept {
  const Counters* of = counters_at(domain, id);
  if (of == nullptr || of->count == 0) return;
  const auto bits = static_cast<std::uint64_t>(value);
  const Payload registered = value_of({.type = of->counters[0].field.type}, &bits, sizeof bits).type;
  record_value(*of, of->counters[0],
               {registered == Payload::unsigned_integer ? Payload::unsigned_integer : Payload::signed_integer, bits});
}
void sample_real(const void* domain, std::uint64_t id, double value) noexcept {
  const Counters* of = counters_at(domain, id);
  if (of != nullptr && of->count != 0) record_value(*of, of->counters[0], {Payload::real, bits_of(value)});
}
void sample(const void* domain, std::uint64_t id, const void* bytes, std::size_t size) noexcept {
  const Counters* of = counters_at(domain, id);
  if (of == nullptr) return;
  for (std::size_t i = 0; i < of->count; ++i)
    record_value(*of, of->counters[i], value_of(of->counters[i].field, bytes, size));
}
void sample_none(const void* domain, std::uint64_t id, std::uint8_t reason) noexcept {
  constexpr std::uint8_t is_zero = 0;  // NVTX_COUNTER_SAMPLE_ZERO; with others there is no value
  if (reason == is_zero) sample_integer(domain, id, 0);
}
/// Samples with times of the program's own.
void left_out_samples(const void*, const void*) noexcept {
  tracer().count("words.counter_batches_left_out", 1);
}

/// nvtxExtModuleInfo_t and nvtxExtModuleSegment_t.
struct Segment {
  std::size_t id, slots;
  std::intptr_t* functions;
};
struct Module {
  std::uint16_t nvtx_version, size, id, version;
  std::size_t segments_count;
  Segment* segments;
  const void *get_export, *info;
};

void fill(const Module& module, const Row* rows, const Row* end_of_rows) noexcept {
  for (std::size_t s = 0; s < module.segments_count; ++s)
    for (const Row* row = rows; row != end_of_rows; ++row)
      if (row->id < module.segments[s].slots)
        module.segments[s].functions[row->id] = reinterpret_cast<std::intptr_t>(row->function);
}

}  // namespace

void read_extended(const Domain& domain, const PayloadData* data, std::size_t count, Annotation& annotation) noexcept {
  constexpr std::size_t most = 64;
  if (data == nullptr) return;
  Reader reader(domain, annotation);
  for (std::size_t i = 0; i < std::min(count, most); ++i) reader.read(data[i]);
}

}  // namespace tracer::words::nvtx

// 1: the functions are there. 0: the header gives its own, which do nothing.
extern "C" [[gnu::visibility("default")]] int InitializeInjectionNvtxExtension(tracer::words::nvtx::Module* module) {
  using namespace tracer::words::nvtx;
  constexpr std::uint16_t payloads = 2, counters = 4;
  constexpr std::uint16_t first_counters_version = 0x102, next_layout = 0x200;
  if (module == nullptr || module->size < sizeof(Module) || module->segments == nullptr) return 0;
  if (module->version >= next_layout) return 0;
  if (module->id == payloads) {
    const Row rows[] = {
        {0, plain(register_schema)},      {1, plain(register_enumeration)}, {2, plain(mark_payload)},
        {3, plain(push_payload)},         {4, plain(pop_payload)},          {5, plain(start_payload)},
        {6, plain(end_payload)},          {7, plain(is_enabled)},           {8, plain(timestamp)},
        {9, plain(register_time_domain)}, {12, plain(register_scope)},      {16, plain(left_out_events)},
        {17, plain(left_out_events)}};
    return fill(*module, rows, rows + sizeof rows / sizeof *rows), 1;
  }
  if (module->id == counters && module->version >= first_counters_version) {
    const Row rows[] = {{0, plain(register_counter)}, {1, plain(sample_integer)}, {2, plain(sample_real)},
                        {3, plain(sample)},           {4, plain(sample_none)},    {5, plain(left_out_samples)}};
    return fill(*module, rows, rows + sizeof rows / sizeof *rows), 1;
  }
  return 0;
}
