// SPDX-License-Identifier: BSD-3-Clause
// The runtime's side of the tools interface: start, registration and entry points.
#include "runtime.hpp"

#include <array>
#include <atomic>
#include <cstring>

// LLVM 14's header does not declare it.
extern "C" ompt_start_tool_result_t* ompt_start_tool(unsigned int omp_version, const char* runtime_version);

namespace fake {
namespace {

constexpr int events = 64;

// The entry points are plain C functions, so there is one runtime per process, as usual.
int version = 0;
std::array<std::atomic<ompt_callback_t>, events> callbacks;

bool is_device_event(int event) {
  return (event >= 8 && event <= 10) || (event >= 12 && event <= 15) || event == 22 || (event >= 33 && event <= 36);
}

// The other one of target, target_data_op, target_submit, target_map and their EMI forms; 0: none.
int twin_of(int event) {
  switch (event) {
    case 8:
      return 33;
    case 9:
      return 34;
    case 10:
      return 35;
    case 22:
      return 36;
    case 33:
      return 8;
    case 34:
      return 9;
    case 35:
      return 10;
    case 36:
      return 22;
    default:
      return 0;
  }
}

ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  const int number = event;
  if (number < 1 || number > 37) return ompt_set_error;
  if (is_device_event(number)) {
    if (version <= 16) return ompt_set_never;
    if (number == 15 || (version <= 23 && (number == 22 || number == 36))) return ompt_set_never;
    const int twin = twin_of(number);
    if (version >= 24 && twin != 0 && callbacks[twin] != nullptr) return ompt_set_error;
  }
  if (number == 32 && version <= 14) return ompt_set_never;
  callbacks[number] = callback;
  return ompt_set_always;
}

int get_callback(ompt_callbacks_t event, ompt_callback_t* callback) {
  *callback = callbacks[event];
  return *callback != nullptr;
}

int enumerate_states(int current, int* next, const char** name) {
  struct State {
    int value;
    const char* name;
  };
  static constexpr State states[] = {{0x102, "ompt_state_undefined"},
                                     {0x000, "ompt_state_work_serial"},
                                     {0x001, "ompt_state_work_parallel"},
                                     {0x010, "ompt_state_wait_barrier"},
                                     {0x200, "fake_state_of_its_own"}};
  for (std::size_t i = 0; i + 1 < std::size(states); ++i) {
    if (states[i].value != current) continue;
    *next = states[i + 1].value;
    *name = states[i + 1].name;
    return 1;
  }
  return 0;
}

int enumerate_mutex_impls(int current, int* next, const char** name) {
  static constexpr const char* names[] = {"none", "spin", "queuing", "speculative"};
  if (current < 0 || current >= 3) return 0;
  *next = current + 1;
  *name = names[*next];
  return 1;
}

int get_num_places() {
  return 2;
}
int get_place_num() {
  return 1;
}
int get_place_proc_ids(int place, int size, int* ids) {
  for (int i = 0; i < size && i < 2; ++i) ids[i] = 2 * place + i;
  return 2;
}
int get_proc_id() {
  return -1;
}
int get_task_info(int, int*, ompt_data_t**, ompt_frame_t**, ompt_data_t**, int*) {
  return 0;
}

template <class Function>
ompt_interface_fn_t entry(Function* function) {
  return reinterpret_cast<ompt_interface_fn_t>(function);
}

ompt_interface_fn_t lookup(const char* name) {
  struct Entry {
    const char* name;
    ompt_interface_fn_t function;
  };
  static const Entry entries[] = {{"ompt_set_callback", entry(set_callback)},
                                  {"ompt_get_callback", entry(get_callback)},
                                  {"ompt_enumerate_states", entry(enumerate_states)},
                                  {"ompt_enumerate_mutex_impls", entry(enumerate_mutex_impls)},
                                  {"ompt_get_num_places", entry(get_num_places)},
                                  {"ompt_get_place_num", entry(get_place_num)},
                                  {"ompt_get_place_proc_ids", entry(get_place_proc_ids)},
                                  {"ompt_get_proc_id", entry(get_proc_id)},
                                  {"ompt_get_task_info", entry(get_task_info)}};
  for (const Entry& candidate : entries) {
    if (std::strcmp(candidate.name, name) == 0) return candidate.function;
  }
  return nullptr;
}

}  // namespace

Runtime::Runtime(int emulated) noexcept : version_(emulated) {
  version = emulated;
}

bool Runtime::start() {
  tool_ = ompt_start_tool(201611, "LLVM OMP version: 5.0.20140926");
  if (tool_ == nullptr) return false;
  if (tool_->initialize(lookup, version_ >= 23 ? -1 : 0, &tool_->tool_data) != 0) return true;
  tool_ = nullptr;
  return false;
}

void Runtime::finalize() {
  if (tool_ != nullptr) tool_->finalize(&tool_->tool_data);
}

ompt_callback_t Runtime::registered(int event) const noexcept {
  return callbacks[event];
}

}  // namespace fake
