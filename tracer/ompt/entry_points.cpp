// SPDX-License-Identifier: BSD-3-Clause
// Looks up the runtime's entry points and calls those that enumerate something.
#include "tracer/ompt/entry_points.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace tracer::ompt {
namespace {

// ompt_get_num_devices is looked up but never called: libomp 23 and 24 deadlock in it inside
// device_initialize and crash inside finalize. ompt_get_target_info returns 0 in all versions.
constexpr std::array host_entry_points{"ompt_enumerate_states",  "ompt_enumerate_mutex_impls",
                                       "ompt_set_callback",      "ompt_get_callback",
                                       "ompt_get_thread_data",   "ompt_get_num_procs",
                                       "ompt_get_num_places",    "ompt_get_place_proc_ids",
                                       "ompt_get_place_num",     "ompt_get_partition_place_nums",
                                       "ompt_get_proc_id",       "ompt_get_state",
                                       "ompt_get_parallel_info", "ompt_get_task_info",
                                       "ompt_get_task_memory",   "ompt_get_num_devices",
                                       "ompt_get_target_info",   "ompt_get_unique_id",
                                       "ompt_finalize_tool"};

constexpr int enumeration_bound = 1000;
constexpr int places_bound = 4096;

template <class Function>
void find(ompt_function_lookup_t lookup, const char* name, Function& function) {
  function = reinterpret_cast<Function>(lookup(name));
}

/// `next` is ompt_enumerate_states or _mutex_impls; 0 is where both enumerations start and, for
/// states, a state of its own, which the runtimes therefore never name.
template <class Next>
std::vector<NamedValue> enumerate(Next next, int first) {
  std::vector<NamedValue> found;
  if (next == nullptr) return found;
  int current = first;
  for (int i = 0; i < enumeration_bound; ++i) {
    int value = current;
    const char* name = nullptr;
    if (next(current, &value, &name) == 0 || name == nullptr) break;
    found.push_back({static_cast<std::uint64_t>(value), name});
    if (value == current) break;
    current = value;
  }
  return found;
}

}  // namespace

EntryPoints look_up(ompt_function_lookup_t lookup, std::vector<CallbackAnswer>& answers) {
  for (const char* name : host_entry_points) {
    answers.push_back({.name = name, .callback = 0, .result = lookup(name) != nullptr ? 1 : 0, .note = ""});
  }
  EntryPoints found;
  find(lookup, "ompt_enumerate_states", found.enumerate_states);
  find(lookup, "ompt_enumerate_mutex_impls", found.enumerate_mutex_impls);
  find(lookup, "ompt_set_callback", found.set_callback);
  find(lookup, "ompt_get_state", found.get_state);
  find(lookup, "ompt_get_task_info", found.get_task_info);
  find(lookup, "ompt_get_num_places", found.get_num_places);
  find(lookup, "ompt_get_place_proc_ids", found.get_place_proc_ids);
  find(lookup, "ompt_get_place_num", found.get_place_num);
  return found;
}

std::vector<NamedValue> enumerate_states(const EntryPoints& entry_points) {
  return enumerate(entry_points.enumerate_states, ompt_state_undefined);
}

std::vector<NamedValue> enumerate_mutex_implementations(const EntryPoints& entry_points) {
  return enumerate(entry_points.enumerate_mutex_impls, ompt_mutex_impl_none);
}

std::vector<std::vector<std::int32_t>> enumerate_places(const EntryPoints& entry_points) {
  std::vector<std::vector<std::int32_t>> places;
  if (entry_points.get_num_places == nullptr || entry_points.get_place_proc_ids == nullptr) return places;
  const int count = entry_points.get_num_places();
  for (int place = 0; place < count && place < places_bound; ++place) {
    const int size = entry_points.get_place_proc_ids(place, 0, nullptr);
    std::vector<std::int32_t> ids(size > 0 ? static_cast<std::size_t>(size) : 0);
    if (!ids.empty()) entry_points.get_place_proc_ids(place, size, ids.data());
    places.push_back(std::move(ids));
  }
  return places;
}

}  // namespace tracer::ompt
