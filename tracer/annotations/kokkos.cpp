// SPDX-License-Identifier: BSD-3-Clause
// Kokkos Tools: Kokkos finds this library by KOKKOS_TOOLS_LIBS and calls the functions that it exports, by their names.
// Kernels, fences, deep copies and regions nest on their thread; sections may overlap; memory is a counter per space.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tracer/annotations/annotation.hpp"
#include "tracer/property_names.hpp"

namespace {

using namespace tracer::words;

/// As Kokkos has it; passed by value.
struct SpaceHandle {
  char name[64];
};

/// The category: what the name stands for.
enum Kind : std::uint32_t { parallel_for = 1, parallel_reduce, parallel_scan, fence, deep_copy, memory };
constexpr const char* kind_names[] = {"",      "parallel_for", "parallel_reduce", "parallel_scan",
                                      "fence", "deep_copy",    "memory"};

std::uint32_t domain() noexcept {
  static constinit std::atomic<std::uint32_t> known{0};
  std::uint32_t id = known.load(std::memory_order_relaxed);
  if (id == 0) known.store(id = name_of("Kokkos"), std::memory_order_relaxed);
  return id;
}

Annotation annotation(const char* name, std::uint32_t kind = 0) noexcept {
  Annotation words{.language = Language::kokkos, .domain = domain(), .name = name_of(name)};
  if (kind != 0) words.details = details_of(kind, kind_names[kind], false, 0);
  return words;
}

void begin_kernel(const char* name, std::uint64_t* id, Kind kind) noexcept {
  push(annotation(name, kind));
  if (id != nullptr) *id = next_range_id();
}

void end_kernel() noexcept {
  pop(Language::kokkos, domain());
}

/// Bytes in use per memory space; a handful of spaces exist.
struct Space {
  std::atomic<std::uint32_t> name{0};
  std::atomic<std::int64_t> bytes{0};
};
constinit Space spaces[16];

void allocated(const SpaceHandle& handle, std::int64_t bytes) noexcept {
  char text[96];
  std::snprintf(text, sizeof text, "Kokkos memory in %.64s", handle.name);
  const std::uint32_t name = name_of(text);
  if (name == 0) return;
  for (Space& space : spaces) {
    std::uint32_t none = 0;
    if (space.name.load() != name && !space.name.compare_exchange_strong(none, name) && none != name) continue;
    const std::int64_t now = space.bytes.fetch_add(bytes) + bytes;
    Annotation words{.language = Language::kokkos, .domain = domain(), .name = name};
    words.payload_type = Payload::unsigned_integer;
    words.payload = now > 0 ? static_cast<std::uint64_t>(now) : 0;
    return counter(words);
  }
}

/// Sections are named first and started later, by the number of their slot, which the next one may have.
constexpr std::uint32_t most_sections = 4096;  // at a time
/// The name, and above it which of all sections it is, from 1; 0: free.
constinit std::atomic<std::uint64_t> section_slots[most_sections]{};
constinit std::atomic<std::uint32_t> sections{0};
constexpr std::uint64_t section_ids = std::uint64_t{1} << 40;

/// The slot that it gets; most_sections: none is free.
std::uint32_t keep_section(std::uint32_t name) noexcept {
  const std::uint32_t number = sections.fetch_add(1) + 1;
  for (std::uint32_t i = 0; i < most_sections; ++i) {
    const std::uint32_t slot = (number + i) % most_sections;
    std::uint64_t none = 0;
    if (section_slots[slot].compare_exchange_strong(none, std::uint64_t{number} << 32 | name)) return slot;
  }
  tracer::words::tracer().count("words.sections_not_kept", 1);
  return most_sections;
}

std::uint64_t section_in(std::uint32_t slot) noexcept {
  return slot < most_sections ? section_slots[slot].load() : 0;
}

/// Of its range: not that of a section that had the slot before and was never stopped.
std::uint64_t id_of_section(std::uint64_t section) noexcept {
  return section_ids + (section >> 32);
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

/// Kokkos waits for the device after every kernel unless the tool disables that.
struct KokkosToolSettings {
  bool requires_global_fencing;
  bool padding[255];
};
void kokkosp_request_tool_settings(std::uint32_t, KokkosToolSettings* settings) {
  if (settings != nullptr) settings->requires_global_fencing = false;
}
/// Kokkos' description of itself and of the machine, as the archive's properties.
void kokkosp_declare_metadata(const char* key, const char* value) {
  char name[128];
  if (key == nullptr || value == nullptr) return;
  std::snprintf(name, sizeof name, "%s%.100s", tracer::properties::fact(tracer::properties::kokkos), key);
  tracer::words::tracer().fact(name, value);
}

void kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) {}
void kokkosp_finalize_library() {}

void kokkosp_begin_parallel_for(const char* name, std::uint32_t, std::uint64_t* id) {
  begin_kernel(name, id, parallel_for);
}
void kokkosp_end_parallel_for(std::uint64_t) {
  end_kernel();
}
void kokkosp_begin_parallel_reduce(const char* name, std::uint32_t, std::uint64_t* id) {
  begin_kernel(name, id, parallel_reduce);
}
void kokkosp_end_parallel_reduce(std::uint64_t) {
  end_kernel();
}
void kokkosp_begin_parallel_scan(const char* name, std::uint32_t, std::uint64_t* id) {
  begin_kernel(name, id, parallel_scan);
}
void kokkosp_end_parallel_scan(std::uint64_t) {
  end_kernel();
}
void kokkosp_begin_fence(const char* name, std::uint32_t, std::uint64_t* id) {
  begin_kernel(name, id, fence);
}
void kokkosp_end_fence(std::uint64_t) {
  end_kernel();
}

void kokkosp_push_profile_region(const char* name) {
  push(annotation(name));
}
void kokkosp_pop_profile_region() {
  pop(Language::kokkos, domain());
}
void kokkosp_profile_event(const char* name) {
  mark(annotation(name));
}

void kokkosp_create_profile_section(const char* name, std::uint32_t* id) {
  if (id != nullptr) *id = keep_section(name_of(name));
}
void kokkosp_start_profile_section(std::uint32_t id) {
  const std::uint64_t section = section_in(id);
  if (section == 0) return;
  const auto name = static_cast<std::uint32_t>(section);
  start({.language = Language::kokkos, .domain = domain(), .name = name}, id_of_section(section));
}
void kokkosp_stop_profile_section(std::uint32_t id) {
  if (const std::uint64_t section = section_in(id)) end(Language::kokkos, domain(), id_of_section(section));
}
void kokkosp_destroy_profile_section(std::uint32_t id) {
  if (id < most_sections) section_slots[id].store(0);
}

void kokkosp_allocate_data(SpaceHandle space, const char*, const void*, std::uint64_t bytes) {
  allocated(space, static_cast<std::int64_t>(bytes));
}
void kokkosp_deallocate_data(SpaceHandle space, const char*, const void*, std::uint64_t bytes) {
  allocated(space, -static_cast<std::int64_t>(bytes));
}

void kokkosp_begin_deep_copy(SpaceHandle to, const char* to_name, const void*, SpaceHandle from, const char* from_name,
                             const void*, std::uint64_t bytes) {
  char text[512];
  std::snprintf(text, sizeof text, "deep_copy %.64s %.150s <- %.64s %.150s", to.name, to_name != nullptr ? to_name : "",
                from.name, from_name != nullptr ? from_name : "");
  Annotation words = annotation(text, deep_copy);
  words.payload_type = Payload::unsigned_integer;
  words.payload = bytes;
  push(words);
}
void kokkosp_end_deep_copy() {
  end_kernel();
}

#pragma GCC visibility pop
}
