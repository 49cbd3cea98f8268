// SPDX-License-Identifier: BSD-3-Clause
// ITT's counters: created and then set by their handle, or by a domain and a name.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "tracer/annotations/chain.hpp"
#include "tracer/annotations/itt.hpp"

namespace tracer::words::itt {
namespace {

/// What an __itt_counter points to. Never freed.
struct Counter {
  std::uint32_t name, domain;
  int type;
  std::atomic<std::uint64_t> value;
  Counter* next;
};

Counter* make_counter(std::uint32_t domain, std::uint32_t name, int type) noexcept {
  auto* made = static_cast<Counter*>(std::calloc(1, sizeof(Counter)));
  if (made == nullptr) return nullptr;
  made->name = name;
  made->domain = domain;
  made->type = type;
  return made;
}

constinit std::atomic<Counter*> counter_chains[256]{};

/// One per domain, name and type: a program may create it again at each use.
Counter* counter_of(std::uint32_t domain, std::uint32_t name, int type) noexcept {
  return find_or_add(
      counter_chains[(name ^ domain * 31) % 256],
      [=](const Counter& known) noexcept { return known.domain == domain && known.name == name && known.type == type; },
      [=]() noexcept { return make_counter(domain, name, type); }, [](Counter* made) noexcept { std::free(made); });
}

Counter* create_counter(const char* name, const char* domain) noexcept {
  return counter_of(name_of(domain), name_of(name), type_u64);
}
Counter* create_typed_counter(const char* name, const char* domain, int type) noexcept {
  return counter_of(name_of(domain), name_of(name), type);
}
Counter* create_counter_v3(const Domain* domain, const char* name, int type) noexcept {
  return counter_of(number_of(domain), name_of(name), type);
}

/// What is counted by domain and name.
Counter* named(const Domain* domain, String* name) noexcept {
  return counter_of(number_of(domain), number_of(name), type_u64);
}

void record_value(const Counter& counted, Value value) noexcept {
  counter({.language = Language::itt,
           .domain = counted.domain,
           .name = counted.name,
           .payload_type = value.type,
           .payload = value.bits});
}

void add_to(Counter* counted, std::uint64_t amount) noexcept {
  if (counted == nullptr || counted->type == type_float || counted->type == type_double) return;
  const bool has_sign = counted->type == type_s64 || counted->type == type_s32 || counted->type == type_s16;
  record_value(*counted, {has_sign ? Payload::signed_integer : Payload::unsigned_integer,
                          counted->value.fetch_add(amount, std::memory_order_relaxed) + amount});
}
void inc(Counter* counted) noexcept {
  add_to(counted, 1);
}
void inc_delta(Counter* counted, unsigned long long delta) noexcept {
  add_to(counted, delta);
}
void dec(Counter* counted) noexcept {
  add_to(counted, ~std::uint64_t{0});
}
void dec_delta(Counter* counted, unsigned long long delta) noexcept {
  add_to(counted, 0 - delta);
}
void inc_named(const Domain* domain, String* name) noexcept {
  inc(named(domain, name));
}
void inc_delta_named(const Domain* domain, String* name, unsigned long long delta) noexcept {
  inc_delta(named(domain, name), delta);
}
void dec_named(const Domain* domain, String* name) noexcept {
  dec(named(domain, name));
}
void dec_delta_named(const Domain* domain, String* name, unsigned long long delta) noexcept {
  dec_delta(named(domain, name), delta);
}

void set(Counter* counted, void* at) noexcept {
  if (counted == nullptr || at == nullptr) return;
  const Value value = value_of(counted->type, at);
  if (value.type == Payload::none) return;
  counted->value.store(value.bits, std::memory_order_relaxed);
  record_value(*counted, value);
}

template <class Number>
std::uint64_t integer_at(const void* at) noexcept {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return static_cast<std::uint64_t>(number);
}

}  // namespace

std::size_t size_of(int type) noexcept {
  constexpr std::size_t sizes[] = {0, 8, 8, 4, 4, 2, 2, 4, 8};
  return type > 0 && type <= type_double ? sizes[type] : 0;
}

Value value_of(int type, const void* at) noexcept {
  switch (type) {
    case type_u64:
      return {Payload::unsigned_integer, integer_at<std::uint64_t>(at)};
    case type_s64:
      return {Payload::signed_integer, integer_at<std::int64_t>(at)};
    case type_u32:
      return {Payload::unsigned_integer, integer_at<std::uint32_t>(at)};
    case type_s32:
      return {Payload::signed_integer, integer_at<std::int32_t>(at)};
    case type_u16:
      return {Payload::unsigned_integer, integer_at<std::uint16_t>(at)};
    case type_s16:
      return {Payload::signed_integer, integer_at<std::int16_t>(at)};
    case type_float: {
      float real;
      std::memcpy(&real, at, sizeof real);
      return {Payload::real, bits_of(double{real})};
    }
    case type_double:
      return {Payload::real, integer_at<std::uint64_t>(at)};
    default:
      return {};
  }
}

void* counter_function(const char* name) noexcept {
  const Row rows[] = {row("__itt_counter_create", create_counter),
                      row("__itt_counter_create_typed", create_typed_counter),
                      row("__itt_counter_create_v3", create_counter_v3),
                      row("__itt_counter_inc", inc),
                      row("__itt_counter_inc_delta", inc_delta),
                      row("__itt_counter_dec", dec),
                      row("__itt_counter_dec_delta", dec_delta),
                      row("__itt_counter_inc_v3", inc_named),
                      row("__itt_counter_inc_delta_v3", inc_delta_named),
                      row("__itt_counter_dec_v3", dec_named),
                      row("__itt_counter_dec_delta_v3", dec_delta_named),
                      row("__itt_counter_set_value", set),
                      row("__itt_counter_set_value_v3", set)};
  for (const Row& known : rows)
    if (std::strcmp(known.name, name) == 0) return known.function;
  return nullptr;
}

}  // namespace tracer::words::itt
