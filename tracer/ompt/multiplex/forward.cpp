// SPDX-License-Identifier: BSD-3-Clause
// The callbacks that a runtime calls while there are several tools: each is handed to this tool first, so that the
// others' time does not come before its clock is read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>

#include "tracer/ompt/multiplex/multiplexer.hpp"

namespace tracer::ompt::several {
namespace {

/// Runtimes show words of what has been given back (tracer/ompt/emit.hpp): a stale name is recognised.
[[gnu::no_sanitize_address]] std::uint64_t name_in(const ompt_data_t* word) noexcept {
  return word != nullptr ? word->value : 0;
}
void set_name(ompt_data_t* word, std::uint64_t name) noexcept {
  if (word != nullptr) word->value = name;
}
void begin(ompt_data_t* word) noexcept {
  set_name(word, make_words());
}

/// An argument as each of the tools sees it.
template <class Type>
struct Shown {
  Type value;
  Type to(unsigned) const noexcept { return value; }
};
template <>
struct Shown<ompt_data_t*> {
  ompt_data_t* words;
  explicit Shown(const ompt_data_t* word) noexcept : words(words_behind(word)) {}
  ompt_data_t* to(unsigned tool) const noexcept { return words != nullptr ? words + tool : nullptr; }
};
/// The id of a device operation, which each tool assigns at its begin and finds again at its end.
template <>
struct Shown<ompt_id_t*> {
  ompt_id_t* runtimes;
  ompt_id_t* others;
  explicit Shown(ompt_id_t* id) noexcept : runtimes(id), others(nullptr) {
    if (ThreadWords* const thread = thread_words()) others = thread->operations;
  }
  ompt_id_t* to(unsigned tool) const noexcept {
    return tool == 0 || runtimes == nullptr || others == nullptr ? runtimes : others + tool;
  }
};

template <class Result, class... Arguments>
void call_one(Result (*callback)(Arguments...), unsigned tool, const Shown<Arguments>&... shown) noexcept {
  callback(shown.to(tool)...);
}

template <int event, class... Arguments>
void call_all(Arguments... arguments) noexcept {
  const std::tuple<Shown<Arguments>...> shown{Shown<Arguments>{arguments}...};
  const unsigned tools = number_of_tools();
  for (unsigned tool = 0; tool < tools; ++tool) {
    const auto callback = reinterpret_cast<void (*)(Arguments...)>(callback_of(tool, event));
    if (callback != nullptr) std::apply([=](const auto&... each) { call_one(callback, tool, each...); }, shown);
  }
}

/// Of events that begin and end nothing.
template <int event, class Signature>
struct Plain;
template <int event, class... Arguments>
struct Plain<event, void (*)(Arguments...)> {
  static void call(Arguments... arguments) noexcept { call_all<event>(arguments...); }
};

void on_thread_begin(ompt_thread_t type, ompt_data_t* thread) noexcept {
  begin(thread);
  call_all<ompt_callback_thread_begin>(type, thread);
}

void on_thread_end(ompt_data_t* thread) noexcept {
  call_all<ompt_callback_thread_end>(thread);
  end_words(name_in(thread));
  forget_thread_words();
}

void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel, unsigned requested,
                       int flags, const void* code) noexcept {
  begin(parallel);
  call_all<ompt_callback_parallel_begin>(task, frame, parallel, requested, flags, code);
}

// The region's word may be somebody else's already (value_of_ended() in tracer/ompt/emit.hpp): it is read once.
void on_parallel_end(ompt_data_t* parallel, ompt_data_t* task, int flags, const void* code) noexcept {
  ompt_data_t copy;
  copy.value = name_in(parallel);
  call_all<ompt_callback_parallel_end>(parallel != nullptr ? &copy : nullptr, task, flags, code);
  end_words(copy.value);
}

/// A task's word without a name, on a worker after its join, is that of its implicit task.
ompt_data_t* tasks_word(ompt_data_t* task, ompt_data_t& copy) noexcept {
  const ThreadWords* const thread = thread_words();
  if (task == nullptr || name_in(task) != 0 || thread == nullptr || thread->joined == 0) return task;
  copy.value = thread->joined;
  return &copy;
}

void end_implicit_task(ompt_data_t* task) noexcept {
  ThreadWords* const thread = thread_words();
  if (name_in(task) != 0) {
    end_words(name_in(task));
    set_name(task, 0);
  } else if (thread != nullptr && task != nullptr) {
    end_words(thread->joined);
    thread->joined = 0;
  }
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task, unsigned team,
                      unsigned index, int flags) noexcept {
  if (endpoint == ompt_scope_begin) {
    begin(task);
    if (parallel != nullptr && name_in(parallel) == 0 && (flags & ompt_task_initial) != 0) begin(parallel);
  }
  ompt_data_t copy;
  call_all<ompt_callback_implicit_task>(endpoint, parallel, tasks_word(task, copy), team, index, flags);
  if (endpoint != ompt_scope_begin) end_implicit_task(task);
}

void on_task_create(ompt_data_t* creator, const ompt_frame_t* frame, ompt_data_t* task, int flags, int depends,
                    const void* code) noexcept {
  constexpr int taskwait = 0x10;  // ompt_task_taskwait, which headers before LLVM 15 lack
  if ((flags & taskwait) == 0) {
    begin(task);
    ompt_data_t joined;
    return call_all<ompt_callback_task_create>(tasks_word(creator, joined), frame, task, flags, depends, code);
  }
  ompt_data_t copy;
  copy.value = make_words();
  call_all<ompt_callback_task_create>(creator, frame, task != nullptr ? &copy : nullptr, flags, depends, code);
  if (ThreadWords* const thread = thread_words()) {
    end_words(thread->waiting);
    thread->waiting = copy.value;
  }
}

/// The word of a wait's dependences has no name: that is kept by the thread.
ompt_data_t* waits_word(ompt_data_t* task, ompt_data_t& copy) noexcept {
  const ThreadWords* const thread = thread_words();
  if (task == nullptr || name_in(task) != 0 || thread == nullptr || thread->waiting == 0) return task;
  copy.value = thread->waiting;
  return &copy;
}

void on_dependences(ompt_data_t* task, const ompt_dependence_t* list, int count) noexcept {
  ompt_data_t copy;
  call_all<ompt_callback_dependences>(waits_word(task, copy), list, count);
}

void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) noexcept {
  constexpr int complete = 1, cancel = 3, late_fulfill = 6, taskwait_complete = 8;
  const int how = status;
  ompt_data_t copy, copy_of_next;
  ompt_data_t* const before = how == taskwait_complete ? waits_word(prior, copy) : tasks_word(prior, copy);
  call_all<ompt_callback_task_schedule>(before, status, tasks_word(next, copy_of_next));
  if (how != complete && how != cancel && how != late_fulfill && how != taskwait_complete) return;
  end_words(name_in(before));
  ThreadWords* const thread = thread_words();
  if (how == taskwait_complete && thread != nullptr) thread->waiting = 0;
}

// A worker's join: as in tracer/ompt/sync.cpp, the task has no name from here on that the runtime could keep.
void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task,
                    const void* code) noexcept {
  constexpr int implicit = 2, implicit_parallel = 9, teams = 10;
  const int which = kind;
  ompt_data_t copy;
  call_all<ompt_callback_sync_region>(kind, endpoint, parallel, tasks_word(task, copy), code);
  if (endpoint != ompt_scope_begin || code != nullptr || name_in(task) == 0) return;
  if (which != implicit && which != implicit_parallel && which != teams) return;
  ThreadWords* const thread = thread_words();
  if (thread == nullptr) return;
  thread->joined = name_in(task);
  set_name(task, 0);
}

void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                         ompt_data_t* task, const void* code) noexcept {
  ompt_data_t copy;
  call_all<ompt_callback_sync_region_wait>(kind, endpoint, parallel, tasks_word(task, copy), code);
}

void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t* task,
                   ompt_data_t* target_task, ompt_data_t* target, const void* code) noexcept {
  if (endpoint != ompt_scope_end) begin(target);
  call_all<ompt_callback_target_emi>(kind, endpoint, device, task, target_task, target, code);
  if (endpoint == ompt_scope_begin) return;
  end_words(name_in(target));
  set_name(target, 0);
}

void begin_operation(ompt_scope_endpoint_t endpoint) noexcept {
  if (ThreadWords* const thread = thread_words(); thread != nullptr && endpoint != ompt_scope_end)
    std::fill(std::begin(thread->operations), std::end(thread->operations), ompt_id_t{0});
}

void on_target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t* target_task, ompt_data_t* target, ompt_id_t* id,
                           ompt_target_data_op_t kind, void* from, int from_device, void* to, int to_device,
                           std::size_t bytes, const void* code) noexcept {
  begin_operation(endpoint);
  call_all<ompt_callback_target_data_op_emi>(endpoint, target_task, target, id, kind, from, from_device, to, to_device,
                                             bytes, code);
}

void on_target_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t* target, ompt_id_t* id, unsigned teams) noexcept {
  begin_operation(endpoint);
  call_all<ompt_callback_target_submit_emi>(endpoint, target, id, teams);
}

// A device has one buffer for one tool: the others are not offered any.
void on_device_initialize(int device, const char* type, ompt_device_t* handle, ompt_function_lookup_t lookup,
                          const char* documentation) noexcept {
  const unsigned tools = number_of_tools();
  for (unsigned tool = 0; tool < tools; ++tool) {
    const auto callback =
        reinterpret_cast<ompt_callback_device_initialize_t>(callback_of(tool, ompt_callback_device_initialize));
    if (callback != nullptr) callback(device, type, handle, tool == 0 ? lookup : nullptr, documentation);
  }
}

/// omp_control_tool() has one result: 0 where a tool has executed the command.
int on_control_tool(std::uint64_t command, std::uint64_t modifier, void* argument, const void* code) noexcept {
  int result = -1;
  const unsigned tools = number_of_tools();
  for (unsigned tool = 0; tool < tools; ++tool) {
    const auto callback = reinterpret_cast<ompt_callback_control_tool_t>(callback_of(tool, ompt_callback_control_tool));
    if (callback == nullptr) continue;
    const int answer = callback(command, modifier, argument, code);
    if (result != 0) result = answer == 0 || result < 0 ? answer : result;
  }
  return result;
}

template <class Handler>
ompt_callback_t erased(Handler handler) noexcept {
  return reinterpret_cast<ompt_callback_t>(handler);
}

ompt_callback_t of_its_own(int event) noexcept {
  switch (event) {
    case ompt_callback_thread_begin:
      return erased(&on_thread_begin);
    case ompt_callback_thread_end:
      return erased(&on_thread_end);
    case ompt_callback_parallel_begin:
      return erased(&on_parallel_begin);
    case ompt_callback_parallel_end:
      return erased(&on_parallel_end);
    case ompt_callback_implicit_task:
      return erased(&on_implicit_task);
    case ompt_callback_task_create:
      return erased(&on_task_create);
    case ompt_callback_dependences:
      return erased(&on_dependences);
    case ompt_callback_task_schedule:
      return erased(&on_task_schedule);
    case ompt_callback_sync_region:
      return erased(&on_sync_region);
    case ompt_callback_sync_region_wait:
      return erased(&on_sync_region_wait);
    case ompt_callback_target_emi:
      return erased(&on_target_emi);
    case ompt_callback_target_data_op_emi:
      return erased(&on_target_data_op_emi);
    case ompt_callback_target_submit_emi:
      return erased(&on_target_submit_emi);
    case ompt_callback_device_initialize:
      return erased(&on_device_initialize);
    case ompt_callback_control_tool:
      return erased(&on_control_tool);
    default:
      return nullptr;
  }
}

template <int event, class Signature>
constexpr bool is_plain = false;
template <int event, class... Arguments>
constexpr bool is_plain<event, void (*)(Arguments...)> = true;

template <int event, class Signature>
ompt_callback_t plain() noexcept {
  if constexpr (is_plain<event, Signature>)
    return erased(&Plain<event, Signature>::call);
  else
    return nullptr;
}

}  // namespace

ompt_callback_t handing_on(ompt_callbacks_t event) noexcept {
  if (const ompt_callback_t special = of_its_own(event)) return special;
#define TRACER_HAND_ON(name, signature, number) \
  if (event == name) return plain<name, signature>();
  FOREACH_OMPT_EVENT(TRACER_HAND_ON)
#undef TRACER_HAND_ON
  return nullptr;
}

}  // namespace tracer::ompt::several
