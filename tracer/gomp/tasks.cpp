// SPDX-License-Identifier: BSD-3-Clause
// Explicit tasks. What libgomp is given to copy is a header of ours with the program's block behind it.
//
// libgomp writes into the block: of a taskloop's tasks the first two words are set to their iterations, and the third
// names the reductions; with `detach` the first becomes the event. So the header begins with these three, and they are
// carried over to the program's block. A function that copies the block (C++ has such) is called with what the program
// gave. Where there is none, none is given to libgomp either: with one it would keep a copy of each task of a taskloop
// on its stack.
#include <alloca.h>

#include <cstdlib>
#include <cstring>

#include "tracer/gomp/loops.hpp"
#include "tracer/gomp/state.hpp"
#include "tracer/record.hpp"

namespace tracer::gomp {
namespace {

constexpr unsigned flag_untied = 1, flag_final = 2, flag_mergeable = 4, flag_depend = 8, flag_up = 1 << 8,
                   flag_if = 1 << 10, flag_no_group = 1 << 11, flag_reduction = 1 << 12, flag_detach = 1 << 13;

struct Header {
  std::uint64_t words[3];  ///< that libgomp writes or reads
  Function function;
  Copy copy;
  void* data;          ///< the program's block, as long as the creator is inside
  std::uint64_t task;  ///< 0: it gets its id when it begins to run
  std::uint64_t creator;
  const void* code;
  std::uint32_t offset;   ///< of the program's block
  std::uint32_t carried;  ///< words
  std::uint32_t flags;    ///< ompt_task_flag_t
  std::uint32_t size;
};

constexpr std::size_t most_on_stack = 16384;

constexpr std::uint32_t offset_of(long alignment) noexcept {
  const auto step = alignment > 16 ? static_cast<std::uint32_t>(alignment) : 16u;  // a power of two
  return (static_cast<std::uint32_t>(sizeof(Header)) + step - 1) & ~(step - 1);
}
constexpr long alignment_of(long alignment) noexcept {
  return alignment > 16 ? alignment : 16;
}

void* block_of(Header& header) noexcept {
  return reinterpret_cast<char*>(&header) + header.offset;
}

[[gnu::always_inline]] inline std::uint64_t create(std::uint64_t creator, int flags, bool depends,
                                                   const void* code) noexcept {
  if (!on.has_tasks) [[unlikely]]
    return 0;
  see(code);
  const std::uint64_t id = new_id();
  record(Words{TRACER_WORD(RecordKind::task_create, depends ? Endpoint::begin_end : Endpoint::none,
                           pack_task_flags(static_cast<std::uint32_t>(flags))),
               static_cast<std::uint32_t>(counter_of(id)), creator, address_of(code)});
  return (flags & ompt_task_untied) != 0 ? id | untied_bit : id;
}

/// Runs the task `id` on the thread.
[[gnu::always_inline]] inline void run_as(Thread& self, std::uint64_t id, Function call, void* block) {
  const std::uint64_t prior = self.task, inside = self.process;
  const void* const function = self.function;
  if (on.has_tasks) [[likely]]
    record(Words{TRACER_WORD(RecordKind::task_schedule, Endpoint::none, ompt_task_switch), 0, prior, id});
  self.task = id;
  self.function = reinterpret_cast<const void*>(call);
  call(block);
  self.function = function;
  if (inside != process.load(std::memory_order_relaxed)) return;
  self.task = prior;
  if (on.has_tasks) [[likely]]
    record(Words{TRACER_WORD(RecordKind::task_schedule, Endpoint::end, ompt_task_complete), 0, id, prior});
}

/// What libgomp calls in place of the task's function.
void run_task(void* argument) {
  Header& header = *static_cast<Header*>(argument);
  void* const block = block_of(header);
  for (std::uint32_t i = 0; i < header.carried; ++i)
    std::memcpy(static_cast<char*>(block) + i * sizeof header.words[0], &header.words[i], sizeof header.words[0]);
  Thread& self = thread;
  if (!is_known(self)) begin_thread(self, ompt_thread_other);
  const std::uint64_t id =
      header.task != 0 ? header.task : create(header.creator, static_cast<int>(header.flags), false, header.code);
  run_as(self, id, header.function, block);
}

/// Of tasks whose block libgomp copies as it is, and neither reads nor writes: most of them.
struct PlainHeader {
  Function function;
  std::uint64_t task;
};
constexpr long most_plain = 4096, plain_alignment = 16;
static_assert(sizeof(PlainHeader) == plain_alignment);

[[gnu::always_inline]] inline bool is_plain(Copy copy, long size, long alignment, unsigned flags) noexcept {
  return copy == nullptr && static_cast<unsigned long>(size) <= most_plain && alignment <= plain_alignment &&
         (flags & (flag_reduction | flag_detach)) == 0;
}

void run_plain_task(void* argument) {
  auto& header = *static_cast<PlainHeader*>(argument);
  Thread& self = thread;
  if (!is_known(self)) begin_thread(self, ompt_thread_other);
  run_as(self, header.task, header.function, &header + 1);
}

/// What libgomp calls in place of the program's function that copies a task's block.
void copy_task(void* to, void* from) {
  const Header& header = *static_cast<const Header*>(from);
  auto& copied = *static_cast<Header*>(to);
  copied = header;
  if (header.carried == 1) std::memcpy(header.data, header.words, sizeof header.words[0]);  // the event of `detach`
  header.copy(block_of(copied), header.data);
}

/// Each address once, with how the task depends on it.
template <class Tell>
void for_each_dependence(void** depend, Tell tell) noexcept {
  constexpr std::uint16_t in = ompt_dependence_type_in, inout = ompt_dependence_type_inout,
                          mutex = ompt_dependence_type_mutexinoutset, inoutset = 7;
  std::uintptr_t total = reinterpret_cast<std::uintptr_t>(depend[0]);
  const std::uintptr_t out = reinterpret_cast<std::uintptr_t>(depend[total != 0 ? 1 : 2]);
  if (total != 0) {
    for (std::uintptr_t i = 0; i < total; ++i) tell(i, total, depend[2 + i], i < out ? inout : in);
    return;
  }
  total = reinterpret_cast<std::uintptr_t>(depend[1]);
  const std::uintptr_t mutexes = out + reinterpret_cast<std::uintptr_t>(depend[3]);
  const std::uintptr_t plain = mutexes + reinterpret_cast<std::uintptr_t>(depend[4]);
  for (std::uintptr_t i = 0; i < total; ++i) {
    void* const entry = depend[5 + i];
    if (i < plain) {
      tell(i, total, entry, i < out ? inout : i < mutexes ? mutex : in);
    } else {  // an omp_depend_t: the address and GCC's number of its kind
      void* const* const object = static_cast<void* const*>(entry);
      constexpr std::uint16_t kinds[] = {inout, in, inout, inout, mutex, inoutset};
      const auto kind = reinterpret_cast<std::uintptr_t>(object[1]);
      tell(i, total, object[0], kind < sizeof kinds / sizeof kinds[0] ? kinds[kind] : inout);
    }
  }
}

[[gnu::noinline]] void tell_dependences(std::uint64_t task, void** depend) noexcept {
  if (!on.has_dependences) return;
  const std::uint64_t time = front->now();
  for_each_dependence(depend, [=](std::uintptr_t index, std::uintptr_t total, const void* address, std::uint16_t type) {
    front->emit_at(time, TRACER_WORD(RecordKind::dependences, 0, type),
                   static_cast<std::uint32_t>(index & 0xffff) | static_cast<std::uint32_t>(total & 0xffff) << 16, task,
                   reinterpret_cast<std::uint64_t>(address));
  });
}

void tell_wait_for(void** depend, const void* code) noexcept {
  const std::uint64_t id = create(thread.task, task_flag::taskwait | ompt_task_mergeable, true, code);
  tell_dependences(id, depend);
  record(Words{TRACER_WORD(RecordKind::task_schedule, Endpoint::none, task_status::taskwait_complete), 0, id, 0});
}

/// A taskloop is told as its tasks' creation, with the group that waits for them.
template <class Call>
[[gnu::always_inline]] inline void taskloop(const Site& site, unsigned flags, std::uint64_t count, Call call) {
  const auto work = [&](ompt_scope_endpoint_t at) {
    ompt_data_t task = word_of(thread.task);
    on.work(static_cast<ompt_work_t>(work_type::taskloop), at, nullptr, &task, count, site.code);
  };
  const auto create_all = [&] {
    work(ompt_scope_begin);
    call();
    work(ompt_scope_end);
  };
  if ((flags & flag_no_group) != 0) return create_all();
  waiting(sync_kind::taskgroup, site.code, create_all);
}

std::uint64_t loop_count(const Site& site, long start, long end, long step, unsigned) noexcept {
  return loop_work(site, start, end, step, 0).count;
}
std::uint64_t loop_count(const Site& site, Unsigned start, Unsigned end, Unsigned step, unsigned flags) noexcept {
  return loop_work(site, (flags & flag_up) != 0, start, end, step, 0).count;
}

constexpr int task_flags(unsigned flags, bool is_undeferred) noexcept {
  int told = ompt_task_explicit;
  if (is_undeferred) told |= ompt_task_undeferred;
  if ((flags & flag_untied) != 0) told |= ompt_task_untied;
  if ((flags & flag_final) != 0) told |= ompt_task_final;
  if ((flags & flag_mergeable) != 0) told |= ompt_task_mergeable;
  return told;
}

}  // namespace
}  // namespace tracer::gomp

/// A local `block` for libgomp, `head` at its begin. On the stack, as the program's own is, which a second large one
/// might not have room on: `heap`, to be freed, has such.
#define TRACER_GOMP_BLOCK(number_carried, given_flags)                                                         \
  const std::uint32_t offset = offset_of(alignment);                                                           \
  const bool is_copied = copy == nullptr && data != nullptr && size > 0;                                       \
  const auto room = static_cast<std::size_t>(alignment_of(alignment));                                         \
  const std::size_t bytes = offset + room + (is_copied ? static_cast<std::size_t>(size) : 0);                  \
  char* const heap = bytes > most_on_stack ? static_cast<char*>(std::malloc(bytes)) : nullptr;                 \
  char* const stack = heap != nullptr ? heap : static_cast<char*>(alloca(bytes));                              \
  char* const block = stack + ((0 - reinterpret_cast<std::uintptr_t>(stack)) & (room - 1));                    \
  Header& head = *reinterpret_cast<Header*>(block);                                                            \
  head = {{0, 0, 0},                                                                                           \
          function,                                                                                            \
          copy,                                                                                                \
          data,                                                                                                \
          0,                                                                                                   \
          thread.task,                                                                                         \
          site.code,                                                                                           \
          offset,                                                                                              \
          number_carried,                                                                                      \
          static_cast<std::uint32_t>(given_flags),                                                             \
          static_cast<std::uint32_t>(size)};                                                                   \
  if (data != nullptr && static_cast<std::size_t>(size) >= sizeof head.words && (flags & flag_reduction) != 0) \
    std::memcpy(&head.words[2], static_cast<char*>(data) + 16, 8);                                             \
  if (is_copied) std::memcpy(block + offset, data, static_cast<std::size_t>(size));                            \
  const Copy copier = copy != nullptr ? &copy_task : nullptr

using namespace tracer::gomp;
namespace work_type = tracer::work_type;
namespace sync_kind = tracer::sync_kind;

namespace {
/// Of those that are not plain.
[[gnu::noinline]] void task_with_header(const Site& site, Function function, void* data, Copy copy, long size,
                                        long alignment, bool condition, unsigned flags, void** depend, int priority,
                                        void* detach) {
  const bool depends = (flags & flag_depend) != 0;
  const int told = task_flags(flags, !condition);
  TRACER_GOMP_BLOCK((flags & flag_detach) != 0 && data != nullptr ? 1u : 0u, told);
  head.task = create(thread.task, told, depends, site.code);
  if (depends) tell_dependences(head.task, depend);
  site.runtime->GOMP_task(&run_task, block, copier, size + static_cast<long>(offset), alignment_of(alignment),
                          condition, flags, depend, priority, detach);
  if (heap != nullptr) [[unlikely]]
    std::free(heap);
}
}  // namespace

void GOMP_task(Function function, void* data, Copy copy, long size, long alignment, bool condition, unsigned flags,
               void** depend, int priority, void* detach) {
  TRACER_GOMP_ENTER_OUTLINED(GOMP_task, function, data, copy, size, alignment, condition, flags, depend, priority,
                             detach);
  if (!is_plain(copy, size, alignment, flags)) [[unlikely]]
    return task_with_header(site, function, data, copy, size, alignment, condition, flags, depend, priority, detach);
  const bool depends = (flags & flag_depend) != 0;
  auto* const header = static_cast<PlainHeader*>(alloca(sizeof(PlainHeader) + static_cast<std::size_t>(size)));
  header->function = function;
  header->task = create(thread.task, task_flags(flags, !condition), depends, site.code);
  if (depends) [[unlikely]]
    tell_dependences(header->task, depend);
  if (data != nullptr && size > 0) std::memcpy(header + 1, data, static_cast<std::size_t>(size));
  site.runtime->GOMP_task(&run_plain_task, header, nullptr, size + static_cast<long>(sizeof(PlainHeader)),
                          plain_alignment, condition, flags, depend, priority, detach);
}

#define TRACER_DEFINE(name, number)                                                                                    \
  void name(Function function, void* data, Copy copy, long size, long alignment, unsigned flags, unsigned long tasks,  \
            int priority, number start, number end, number step) {                                                     \
    TRACER_GOMP_ENTER_OUTLINED(name, function, data, copy, size, alignment, flags, tasks, priority, start, end, step); \
    TRACER_GOMP_BLOCK(2u, task_flags(flags, (flags & flag_if) == 0));                                                  \
    taskloop(site, flags, loop_count(site, start, end, step, flags), [&] {                                             \
      site.runtime->name(&run_task, block, copier, size + static_cast<long>(offset), alignment_of(alignment), flags,   \
                         tasks, priority, start, end, step);                                                           \
    });                                                                                                                \
    std::free(heap);                                                                                                   \
  }
TRACER_DEFINE(GOMP_taskloop, long)
TRACER_DEFINE(GOMP_taskloop_ull, Unsigned)
#undef TRACER_DEFINE

void GOMP_taskwait() {
  TRACER_GOMP_ENTER(GOMP_taskwait);
  waiting(sync_kind::taskwait, site.code, [&] { site.runtime->GOMP_taskwait(); });
}

void GOMP_taskwait_depend(void** depend) {
  TRACER_GOMP_ENTER(GOMP_taskwait_depend, depend);
  waiting(sync_kind::taskwait, site.code, [&] { site.runtime->GOMP_taskwait_depend(depend); });
}

// An empty task, which is told as OMPT tells waits for dependences: complete at once, since nobody sees when it is.
void GOMP_taskwait_depend_nowait(void** depend) {
  TRACER_GOMP_ENTER(GOMP_taskwait_depend_nowait, depend);
  if (on.has_tasks) tell_wait_for(depend, site.code);
  site.runtime->GOMP_taskwait_depend_nowait(depend);
}

void GOMP_taskyield() {
  TRACER_GOMP_ENTER(GOMP_taskyield);
  site.runtime->GOMP_taskyield();
}

void GOMP_taskgroup_start() {
  TRACER_GOMP_ENTER(GOMP_taskgroup_start);
  ompt_data_t task = word_of(thread.task);
  on.sync_region(ompt_sync_region_taskgroup, ompt_scope_begin, nullptr, &task, site.code);
  site.runtime->GOMP_taskgroup_start();
}

void GOMP_taskgroup_end() {
  TRACER_GOMP_ENTER(GOMP_taskgroup_end);
  Thread& self = thread;
  ompt_data_t task = word_of(self.task);
  on.sync_region_wait(ompt_sync_region_taskgroup, ompt_scope_begin, nullptr, &task, site.code);
  site.runtime->GOMP_taskgroup_end();
  end_wait(self, sync_kind::taskgroup, site.code);
}
