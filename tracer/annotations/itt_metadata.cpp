// SPDX-License-Identifier: BSD-3-Clause
// ITT's metadata: what a program adds to the task that it is in. A task's Enter is recorded by then, so each is a mark
// named by its key, with the value as its payload.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tracer/annotations/itt.hpp"

namespace tracer::words::itt {
namespace {

constexpr std::size_t most_values = 16;  // of an array

/// LLVM's OpenMP runtime annotates its regions with what it also reports to OMPT.
bool is_of_openmp(const Domain* domain) noexcept {
  return domain != nullptr && std::strcmp(domain->name, "OMP Metadata") == 0;
}

void record_metadata(const Domain* domain, String* key, Value value) noexcept {
  mark({.language = Language::itt,
        .domain = number_of(domain),
        .name = number_of(key),
        .payload_type = value.type,
        .payload = value.bits});
}

void add(const Domain* domain, Id, String* key, int type, std::size_t count, void* data) noexcept {
  const std::size_t size = size_of(type);
  if (data == nullptr || size == 0 || is_of_openmp(domain)) return;
  for (std::size_t i = 0; i < std::min(count, most_values); ++i)
    record_metadata(domain, key, value_of(type, static_cast<const char*>(data) + i * size));
  if (count > most_values) tracer().count("words.metadata_left_out", count - most_values);
}

/// `length` 0: the text ends with a zero.
void add_text(const Domain* domain, Id, String* key, const char* data, std::size_t length) noexcept {
  if (data == nullptr || is_of_openmp(domain)) return;
  char* copy = copy_of(data, length != 0 ? length : longest_name);
  record_metadata(domain, key, {Payload::text, name_of(copy)});
  std::free(copy);
}

}  // namespace

void* metadata_function(const char* name) noexcept {
  if (std::strcmp(name, "__itt_metadata_add") == 0) return row(name, add).function;
  if (std::strcmp(name, "__itt_metadata_str_add") == 0) return row(name, add_text).function;
  return nullptr;
}

}  // namespace tracer::words::itt
