// SPDX-License-Identifier: BSD-3-Clause
// Handlers of explicit tasks and their dependences.
#include "tracer/ompt/context.hpp"
#include "tracer/ompt/emit.hpp"
#include "tracer/ompt/frame_code.hpp"
#include "tracer/ompt/handlers.hpp"
#include "tracer/ompt/overrun.hpp"
#include "tracer/ompt/seen_code.hpp"

namespace tracer::ompt {
namespace {

constexpr std::uint64_t untied_bit_of(int flags) noexcept {
  return (flags & ompt_task_untied) != 0 ? untied_bit : 0;
}

// libomp keeps the data of `taskwait depend` in one word of the thread and asserts, also in release
// builds, that it is NULL when the next one begins (13 to 22, __kmpc_omp_taskwait_deps_51): a tool
// that puts an id there aborts programs whose waiting thread runs a task that waits likewise.
constexpr bool may_be_named(int flags) noexcept {
  constexpr int taskwait = 0x10;  // ompt_task_taskwait, which headers before LLVM 15 lack
  return (flags & taskwait) == 0;
}

}  // namespace

// The record has room for half of the new id: the other half is the channel it stands in, and the
// counter's high bits follow from the order (record_table.hpp).
void on_task_create(ompt_data_t* encountering_task_data, const ompt_frame_t* encountering_task_frame,
                    ompt_data_t* new_task_data, int flags, int has_dependences, const void* codeptr_ra) noexcept {
  if (codeptr_ra == nullptr && context().is_libomp) [[unlikely]]
    codeptr_ra = code_of_frame(encountering_task_frame, __builtin_frame_address(0));
  record_in_code(
      [](Channel& channel, Ticks time, const ompt_data_t* creator, ompt_data_t* task, int task_flags, int depends,
         const void* code) {
        const std::uint64_t counter = channel.next_counter();
        if (task != nullptr && may_be_named(task_flags)) [[likely]]
          set_value(task, make_id(channel.id(), counter) | untied_bit_of(task_flags));
        channel.emit({.time = time,
                      .kind = RecordKind::task_create,
                      .endpoint = depends != 0 ? Endpoint::begin_end : Endpoint::none,
                      .sub = pack_task_flags(static_cast<std::uint32_t>(task_flags)),
                      .a = static_cast<std::uint32_t>(counter),
                      .b = value_of(creator),
                      .c = address_of(code)});
      },
      encountering_task_data, new_task_data, flags, has_dependences, codeptr_ra);
}

void on_task_schedule(ompt_data_t* prior_task_data, ompt_task_status_t prior_task_status,
                      ompt_data_t* next_task_data) noexcept {
  record(
      [](Channel& channel, Ticks time, const ompt_data_t* prior, ompt_task_status_t status, const ompt_data_t* next) {
        channel.emit({.time = time,
                      .kind = RecordKind::task_schedule,
                      .endpoint = status == ompt_task_complete ? Endpoint::end : Endpoint::none,
                      .sub = sub_of(status),
                      .a = 0,
                      .b = value_of(prior),
                      .c = value_of(next)});
      },
      prior_task_data, prior_task_status, next_task_data);
}

void on_dependences(ompt_data_t* task_data, const ompt_dependence_t* deps, int ndeps) noexcept {
  // Of what may not be named: the waits that libomp has this fault in.
  const bool is_first_mutex = value_of(task_data) == no_id && context().is_libomp && mend_overrun(deps, ndeps);
  record(
      [](Channel& channel, Ticks time, const ompt_data_t* task, const ompt_dependence_t* list, int number, bool mutex) {
        const auto count = list != nullptr && number > 0 ? static_cast<std::uint32_t>(number) : 0;
        for (std::uint32_t i = 0; i < count; ++i) {
          channel.emit({.time = time,
                        .kind = RecordKind::dependences,
                        .endpoint = Endpoint::none,
                        .sub = sub_of(i == 0 && mutex ? ompt_dependence_type_mutexinoutset : list[i].dependence_type),
                        .a = (i & 0xffff) | count << 16,
                        .b = value_of(task),
                        .c = list[i].variable.value});
        }
      },
      task_data, deps, ndeps, is_first_mutex);
}

void on_task_dependence(ompt_data_t* src_task_data, ompt_data_t* sink_task_data) noexcept {
  record(
      [](Channel& channel, Ticks time, const ompt_data_t* source, const ompt_data_t* sink) {
        channel.emit({.time = time,
                      .kind = RecordKind::task_dependence,
                      .endpoint = Endpoint::none,
                      .sub = 0,
                      .a = 0,
                      .b = value_of(source),
                      .c = value_of(sink)});
      },
      src_task_data, sink_task_data);
}

}  // namespace tracer::ompt
