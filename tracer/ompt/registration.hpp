// SPDX-License-Identifier: BSD-3-Clause
// Registers the callback table with a runtime.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "omp-tools.h"
#include "tracer/journal.hpp"

namespace tracer::ompt {

struct Registration {
  std::vector<CallbackAnswer> answers;  ///< one per row, in the table's order
  std::string missing;                  ///< essential callbacks the runtime will never call, "" none
  bool target_events = false;           ///< the runtime will call target_submit or its twin
};

/// Registers the rows of the groups in `record` (Config::record), and those that belong to none; `error` only
/// where the setting contains its own name or the runtime is `without_error_fault` (runtime_identity.hpp).
Registration register_callbacks(ompt_set_callback_t set_callback, std::uint32_t record, bool without_error_fault);

/// The handler of an event, for who calls it in a runtime's stead. nullptr: it is not recorded, or there is none.
ompt_callback_t handler_of(int event, std::uint32_t record) noexcept;

}  // namespace tracer::ompt
