// SPDX-License-Identifier: BSD-3-Clause
// An OpenMP runtime that runs no OpenMP: it starts the tool as libomp of a given version would and
// calls its callbacks when a test says so.
#pragma once

#include "omp-tools.h"

namespace fake {

class Runtime {
 public:
  /// How libomp of this version answers: 13-24.
  explicit Runtime(int version) noexcept;
  Runtime(const Runtime&) = delete;

  /// ompt_start_tool and initialize. False when the tool declines.
  bool start();
  /// The tool's finalize; again when called again.
  void finalize();

  /// What the tool registered for the event, nullptr when nothing or when it was refused.
  template <class Callback>
  Callback callback(ompt_callbacks_t event) const noexcept {
    return reinterpret_cast<Callback>(registered(event));
  }

 private:
  ompt_callback_t registered(int event) const noexcept;

  int version_;
  ompt_start_tool_result_t* tool_ = nullptr;
};

}  // namespace fake
