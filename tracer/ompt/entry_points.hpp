// SPDX-License-Identifier: BSD-3-Clause
// The runtime's entry points, as its lookup function yields them.
#pragma once

#include <vector>

#include "omp-tools.h"
#include "tracer/journal.hpp"

namespace tracer::ompt {

/// NULL where the runtime has none.
struct EntryPoints {
  ompt_enumerate_states_t enumerate_states = nullptr;
  ompt_enumerate_mutex_impls_t enumerate_mutex_impls = nullptr;
  ompt_set_callback_t set_callback = nullptr;
  ompt_get_state_t get_state = nullptr;
  ompt_get_task_info_t get_task_info = nullptr;
  ompt_get_num_places_t get_num_places = nullptr;
  ompt_get_place_proc_ids_t get_place_proc_ids = nullptr;
  ompt_get_place_num_t get_place_num = nullptr;
};

/// Fills the entry points that the tool calls, and records for every one that the specification
/// names for the host whether the runtime has it.
EntryPoints look_up(ompt_function_lookup_t lookup, std::vector<CallbackAnswer>& answers);

/// Both end when the runtime ends them, or does not advance, or after a bound.
std::vector<NamedValue> enumerate_states(const EntryPoints& entry_points);
std::vector<NamedValue> enumerate_mutex_implementations(const EntryPoints& entry_points);

/// The processors of each place. libomp has none before its first region: call it late.
std::vector<std::vector<std::int32_t>> enumerate_places(const EntryPoints& entry_points);

/// Writes the places into the journal, once there are any. Any thread while the runtime lives.
void record_places() noexcept;

}  // namespace tracer::ompt
