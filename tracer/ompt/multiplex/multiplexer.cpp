// SPDX-License-Identifier: BSD-3-Clause
// Who has registered what, and the entry points for other tools.
#include "tracer/ompt/multiplex/multiplexer.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tracer::ompt::several {
namespace {

constexpr int most_events = 64;

struct Event {
  std::atomic<ompt_callback_t> callbacks[most_tools] = {};
  std::atomic<int> answer{not_asked};
  static constexpr int not_asked = -1;
};

constinit std::array<Event, most_events> events{};
constinit std::atomic<unsigned> tools_here{1};

/// The runtime's own.
struct Runtime {
  ompt_function_lookup_t lookup = nullptr;
  ompt_set_callback_t set_callback = nullptr;
  ompt_get_thread_data_t get_thread_data = nullptr;
  ompt_get_parallel_info_t get_parallel_info = nullptr;
  ompt_get_task_info_t get_task_info = nullptr;
};
constinit Runtime runtime{};

template <class Function>
void find(const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(runtime.lookup(name));
}

/// The event with the same meaning at a device operation's begin and end; 0 for others. Runtimes call one of both.
int newer_twin_of(int event) noexcept {
  switch (event) {
    case ompt_callback_target:
      return ompt_callback_target_emi;
    case ompt_callback_target_data_op:
      return ompt_callback_target_data_op_emi;
    case ompt_callback_target_submit:
      return ompt_callback_target_submit_emi;
    case ompt_callback_target_map:
      return ompt_callback_target_map_emi;
    default:
      return 0;
  }
}

bool is_delivered(int answer) noexcept {
  return answer >= ompt_set_sometimes;
}

Event* event_of(int event) noexcept {
  return event > 0 && event < most_events ? &events[static_cast<std::size_t>(event)] : nullptr;
}

/// Registers it with the runtime, once.
int register_event(int event) noexcept {
  Event* const known = event_of(event);
  const ompt_callback_t handler = known != nullptr ? handing_on(static_cast<ompt_callbacks_t>(event)) : nullptr;
  if (handler == nullptr || runtime.set_callback == nullptr) return ompt_set_error;
  int answer = known->answer.load();
  if (answer == Event::not_asked) {
    answer = runtime.set_callback(static_cast<ompt_callbacks_t>(event), handler);
    known->answer.store(answer);
  }
  return answer;
}

// What other tools look up, one function for each of them.

template <unsigned tool>
ompt_set_result_t tools_set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  return set_callback(tool, event, callback);
}

template <unsigned tool>
int tools_get_callback(ompt_callbacks_t event, ompt_callback_t* callback) {
  const ompt_callback_t registered = callback_of(tool, event);
  if (registered == nullptr) return 0;  // the specification names the result by numbers
  if (callback != nullptr) *callback = registered;
  return 1;
}

template <unsigned tool>
ompt_data_t* tools_get_thread_data() {
  ompt_data_t* const words = words_behind(runtime.get_thread_data());
  return words != nullptr ? words + tool : nullptr;
}

void translate(ompt_data_t** word, unsigned tool) noexcept {
  if (word == nullptr || *word == nullptr) return;
  ompt_data_t* const words = words_behind(*word);
  *word = words != nullptr ? words + tool : nullptr;
}

template <unsigned tool>
int tools_get_parallel_info(int level, ompt_data_t** parallel, int* size) {
  const int answer = runtime.get_parallel_info(level, parallel, size);
  if (answer == 2) translate(parallel, tool);
  return answer;
}

template <unsigned tool>
int tools_get_task_info(int level, int* flags, ompt_data_t** task, ompt_frame_t** frame, ompt_data_t** parallel,
                        int* number) {
  const int answer = runtime.get_task_info(level, flags, task, frame, parallel, number);
  if (answer == 2) {
    const ThreadWords* const thread = thread_words();
    ompt_data_t joined;
    if (task != nullptr && *task != nullptr && (*task)->value == 0 && thread != nullptr) {
      joined.value = thread->joined;
      *task = &joined;
    }
    translate(task, tool);
    translate(parallel, tool);
  }
  return answer;
}

/// The runtime's would end all tools.
template <unsigned tool>
void tools_finalize() {
  drop_callbacks(tool);
}

template <unsigned tool>
ompt_interface_fn_t find_for(const char* name) noexcept {
  const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
  const auto erased = [](auto function) { return reinterpret_cast<ompt_interface_fn_t>(function); };
  if (is("ompt_set_callback")) return erased(&tools_set_callback<tool>);
  if (is("ompt_get_callback")) return erased(&tools_get_callback<tool>);
  if (is("ompt_get_thread_data") && runtime.get_thread_data != nullptr) return erased(&tools_get_thread_data<tool>);
  if (is("ompt_get_parallel_info") && runtime.get_parallel_info != nullptr)
    return erased(&tools_get_parallel_info<tool>);
  if (is("ompt_get_task_info") && runtime.get_task_info != nullptr) return erased(&tools_get_task_info<tool>);
  if (is("ompt_finalize_tool")) return erased(&tools_finalize<tool>);
  return runtime.lookup(name);
}

}  // namespace

void begin_multiplexing(ompt_function_lookup_t lookup, unsigned tools) noexcept {
  runtime.lookup = lookup;
  find("ompt_set_callback", runtime.set_callback);
  find("ompt_get_thread_data", runtime.get_thread_data);
  find("ompt_get_parallel_info", runtime.get_parallel_info);
  find("ompt_get_task_info", runtime.get_task_info);
  set_number_of_tools(tools);
  tools_here.store(tools);
  // What names and ends objects, whoever listens.
  for (const int event :
       {ompt_callback_thread_begin, ompt_callback_thread_end, ompt_callback_parallel_begin, ompt_callback_parallel_end,
        ompt_callback_implicit_task, ompt_callback_task_create, ompt_callback_task_schedule, ompt_callback_sync_region})
    register_event(event);
}

ompt_set_result_t set_callback(unsigned tool, ompt_callbacks_t event, ompt_callback_t callback) noexcept {
  Event* const known = event_of(event);
  if (known == nullptr || tool >= most_tools) return ompt_set_error;
  const Event* const newer = event_of(newer_twin_of(event));
  if (newer != nullptr && is_delivered(newer->answer.load())) return ompt_set_never;
  // Before the runtime may call it.
  known->callbacks[tool].store(callback, std::memory_order_release);
  if (callback == nullptr) return ompt_set_always;
  const int answer = register_event(event);
  if (!is_delivered(answer)) known->callbacks[tool].store(nullptr, std::memory_order_release);
  return static_cast<ompt_set_result_t>(answer);
}

ompt_set_result_t set_own_callback(ompt_callbacks_t event, ompt_callback_t callback) noexcept {
  return set_callback(0, event, callback);
}

void drop_callbacks(unsigned tool) noexcept {
  for (Event& event : events) event.callbacks[tool].store(nullptr, std::memory_order_release);
}

ompt_interface_fn_t lookup_of(unsigned tool, const char* name) noexcept {
  if (name == nullptr || runtime.lookup == nullptr) return nullptr;
  switch (tool) {
    case 1:
      return find_for<1>(name);
    case 2:
      return find_for<2>(name);
    case 3:
      return find_for<3>(name);
    default:
      return nullptr;
  }
}

ompt_callback_t callback_of(unsigned tool, int event) noexcept {
  const Event* const known = event_of(event);
  return known != nullptr ? known->callbacks[tool].load(std::memory_order_acquire) : nullptr;
}

unsigned number_of_tools() noexcept {
  return tools_here.load(std::memory_order_relaxed);
}

[[gnu::no_sanitize_address]] ompt_data_t* words_behind(const ompt_data_t* word) noexcept {
  if (word == nullptr) return nullptr;
  if (ompt_data_t* const words = words_of(word->value)) return words;
  ThreadWords* const thread = thread_words();
  if (thread == nullptr) return nullptr;
  for (ompt_data_t& nobodys : thread->nobodys) nobodys.value = 0;
  return thread->nobodys;
}

}  // namespace tracer::ompt::several
