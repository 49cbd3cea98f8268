// SPDX-License-Identifier: BSD-3-Clause
// Which callbacks are registered, and how much each matters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "omp-tools.h"
#include "tracer/base/config.hpp"
#include "tracer/ompt/handlers.hpp"

namespace tracer::ompt {

/// What a trace is without the callback.
enum class Importance : unsigned char {
  essential,  ///< no trace: threads, regions and tasks would be unknown
  expected,   ///< a construct is missing, which the archive states
  optional,   ///< many runtimes do not have it
};

/// The signature that omp-tools.h gives to an event.
template <ompt_callbacks_t event>
struct Signature;
#define TRACER_SIGNATURE(event, signature, number) \
  template <>                                      \
  struct Signature<event> {                        \
    using type = signature;                        \
  };
FOREACH_OMPT_EVENT(TRACER_SIGNATURE)
#undef TRACER_SIGNATURE

struct CallbackRow {
  ompt_callbacks_t event;
  std::string_view name;  ///< of the event, without ompt_callback_
  Importance importance;
  std::uint32_t group;  ///< of Config::record that switches it; 0: always on
  ompt_callback_t (*handler)() noexcept;
  /// The row is only requested when the row of this event was refused. LLVM 24 refuses the second
  /// of an EMI event and its twin; 19-23 accept both and call the EMI one. 0: always requested.
  int instead_of = 0;
};

/// A row whose handler has another signature than its event does not compile.
template <ompt_callbacks_t event, typename Signature<event>::type handler>
constexpr CallbackRow row(std::string_view name, Importance importance, std::uint32_t group, int instead_of = 0) {
  return {event,     name, importance, group, []() noexcept { return reinterpret_cast<ompt_callback_t>(handler); },
          instead_of};
}

inline constexpr std::uint32_t always = 0;

// clang-format off
inline constexpr std::array callback_table{
    row<ompt_callback_thread_begin,       on_thread_begin>      ("thread_begin",       Importance::essential, always),
    row<ompt_callback_thread_end,         on_thread_end>        ("thread_end",         Importance::essential, always),
    row<ompt_callback_parallel_begin,     on_parallel_begin>    ("parallel_begin",     Importance::essential, always),
    row<ompt_callback_parallel_end,       on_parallel_end>      ("parallel_end",       Importance::essential, always),
    row<ompt_callback_implicit_task,      on_implicit_task>     ("implicit_task",      Importance::essential, always),
    row<ompt_callback_task_create,        on_task_create>       ("task_create",        Importance::essential, record_tasks),
    row<ompt_callback_task_schedule,      on_task_schedule>     ("task_schedule",      Importance::essential, record_tasks),
    row<ompt_callback_dependences,        on_dependences>       ("dependences",        Importance::expected, record_dependences),
    row<ompt_callback_task_dependence,    on_task_dependence>   ("task_dependence",    Importance::expected, record_dependences),
    row<ompt_callback_sync_region,        on_sync_region>       ("sync_region",        Importance::expected, record_sync),
    row<ompt_callback_sync_region_wait,   on_sync_region_wait>  ("sync_region_wait",   Importance::expected, record_wait),
    row<ompt_callback_reduction,          on_reduction>         ("reduction",          Importance::expected, record_reduction),
    row<ompt_callback_work,               on_work>              ("work",               Importance::expected, record_work),
    row<ompt_callback_dispatch,           on_dispatch>          ("dispatch",           Importance::optional, record_dispatch | record_chunks),
    row<ompt_callback_masked,             on_masked>            ("masked",             Importance::expected, record_masked),
    row<ompt_callback_mutex_acquire,      on_mutex_acquire>     ("mutex_acquire",      Importance::expected, record_mutex),
    row<ompt_callback_mutex_acquired,     on_mutex_acquired>    ("mutex_acquired",     Importance::expected, record_mutex),
    row<ompt_callback_mutex_released,     on_mutex_released>    ("mutex_released",     Importance::expected, record_mutex),
    row<ompt_callback_lock_init,          on_lock_init>         ("lock_init",          Importance::expected, record_locks),
    row<ompt_callback_lock_destroy,       on_lock_destroy>      ("lock_destroy",       Importance::expected, record_locks),
    row<ompt_callback_nest_lock,          on_nest_lock>         ("nest_lock",          Importance::expected, record_mutex),
    row<ompt_callback_flush,              on_flush>             ("flush",              Importance::expected, record_flush),
    row<ompt_callback_cancel,             on_cancel>            ("cancel",             Importance::expected, record_cancel),
    row<ompt_callback_control_tool,       on_control_tool>      ("control_tool",       Importance::expected, always),
    row<ompt_callback_error,              on_error>             ("error",              Importance::optional, record_cancel | record_error),
    row<ompt_callback_device_initialize,  on_device_initialize> ("device_initialize",  Importance::optional, record_device),
    row<ompt_callback_device_finalize,    on_device_finalize>   ("device_finalize",    Importance::optional, record_device),
    row<ompt_callback_device_load,        on_device_load>       ("device_load",        Importance::optional, record_device),
    row<ompt_callback_device_unload,      on_device_unload>     ("device_unload",      Importance::optional, record_device),
    row<ompt_callback_target_emi,         on_target_emi>        ("target_emi",         Importance::optional, record_target),
    row<ompt_callback_target,             on_target>            ("target",             Importance::optional, record_target, ompt_callback_target_emi),
    row<ompt_callback_target_data_op_emi, on_target_data_op_emi>("target_data_op_emi", Importance::optional, record_target),
    row<ompt_callback_target_data_op,     on_target_data_op>    ("target_data_op",     Importance::optional, record_target, ompt_callback_target_data_op_emi),
    row<ompt_callback_target_submit_emi,  on_target_submit_emi> ("target_submit_emi",  Importance::optional, record_target),
    row<ompt_callback_target_submit,      on_target_submit>     ("target_submit",      Importance::optional, record_target, ompt_callback_target_submit_emi),
    row<ompt_callback_target_map_emi,     on_target_map_emi>    ("target_map_emi",     Importance::optional, record_target),
    row<ompt_callback_target_map,         on_target_map>        ("target_map",         Importance::optional, record_target, ompt_callback_target_map_emi),
};
// clang-format on

namespace detail {
constexpr bool every_event_has_one_row() {
  unsigned long long seen = 0;
  for (const CallbackRow& row : callback_table) seen |= 1ull << row.event;
  return seen == (1ull << (callback_table.size() + 1)) - 2;
}
}  // namespace detail
static_assert(detail::every_event_has_one_row(), "events are numbered from 1, each has a row");

}  // namespace tracer::ompt
