// SPDX-License-Identifier: BSD-3-Clause
// Handlers of worksharing constructs, what they dispatch, and masked.
#include "tracer/ompt/context.hpp"
#include "tracer/ompt/emit.hpp"
#include "tracer/ompt/handlers.hpp"
#include "tracer/ompt/seen_code.hpp"
#include "tracer/ompt_values.hpp"

namespace tracer::ompt {
namespace {

// Values of ompt_dispatch_t whose instance points to a chunk; headers before LLVM 15 lack the names.
constexpr bool is_chunk(int kind) noexcept {
  return kind >= dispatch_kind::loop_chunk && kind <= dispatch_kind::distribute_chunk;
}

/// Loops whose threads request chunks until there are no more.
constexpr bool hands_out_chunks(int work) noexcept {
  return work >= work_type::loop_dynamic && work <= work_type::loop_other;
}

// As ompt_dispatch_chunk_t, which headers before LLVM 15 lack.
struct Chunk {
  std::uint64_t start;
  std::uint64_t iterations;
};

}  // namespace

void on_work(ompt_work_t work_type, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*, std::uint64_t count,
             const void* codeptr_ra) noexcept {
  record_in_code(
      [](Channel& channel, Ticks time, ompt_work_t work, ompt_scope_endpoint_t at, std::uint64_t iterations,
         const void* code) {
        std::uint32_t chunks = 0;
        if (hands_out_chunks(work)) {
          if (at == ompt_scope_begin) channel.begin_chunks();
          if (at == ompt_scope_end) chunks = channel.end_chunks();
        }
        channel.emit({.time = time,
                      .kind = RecordKind::work,
                      .endpoint = endpoint_of(at),
                      .sub = sub_of(work),
                      .a = chunks,
                      .b = iterations,
                      .c = address_of(code)});
      },
      work_type, endpoint, count, codeptr_ra);
}

void on_dispatch(ompt_data_t*, ompt_data_t*, ompt_dispatch_t kind, ompt_data_t instance) noexcept {
  if (static_cast<int>(kind) == dispatch_kind::loop_chunk)
    if (Channel* const channel = tracer::detail::channel) channel->count_chunk();
  if (is_chunk(kind) ? !context().chunks : !context().sections) return;
  Chunk chunk{instance.value, 0};
  if (is_chunk(kind) && instance.ptr != nullptr) chunk = *static_cast<const Chunk*>(instance.ptr);
  record(
      [](Channel& channel, Ticks time, ompt_dispatch_t dispatched, std::uint64_t start, std::uint64_t iterations) {
        channel.emit({.time = time,
                      .kind = RecordKind::dispatch,
                      .endpoint = Endpoint::none,
                      .sub = sub_of(dispatched),
                      .a = 0,
                      .b = start,
                      .c = iterations});
      },
      kind, chunk.start, chunk.iterations);
}

void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task_data, const void* codeptr_ra) noexcept {
  record_in_code(
      [](Channel& channel, Ticks time, ompt_scope_endpoint_t at, const ompt_data_t* task, const void* code) {
        channel.emit({.time = time,
                      .kind = RecordKind::masked,
                      .endpoint = endpoint_of(at),
                      .sub = 0,
                      .a = 0,
                      .b = value_of(task),
                      .c = address_of(code)});
      },
      endpoint, task_data, codeptr_ra);
}

}  // namespace tracer::ompt
