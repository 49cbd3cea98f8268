// SPDX-License-Identifier: BSD-3-Clause
// What creating and running explicit tasks has in common, for GOMP_task and for taskloops.
//
// Undeferred tasks run inside of the call that creates them, one in the other as deeply as the program recurses. So the
// entry points are jumps to libgomp wherever nothing is to be done behind the call, and else keep nothing on the stack
// but what they were called with.
#pragma once

#include <cstdint>

#include "tracer/gomp/state.hpp"
#include "tracer/record.hpp"

namespace tracer::gomp {

constexpr unsigned flag_untied = 1, flag_final = 2, flag_mergeable = 4, flag_depend = 8, flag_up = 1 << 8,
                   flag_if = 1 << 10, flag_no_group = 1 << 11, flag_reduction = 1 << 12, flag_detach = 1 << 13;

constexpr long plain_alignment = 16;

constexpr int task_flags(unsigned flags, bool is_undeferred) noexcept {
  int told = ompt_task_explicit;
  if (is_undeferred) told |= ompt_task_undeferred;
  if ((flags & flag_untied) != 0) told |= ompt_task_untied;
  if ((flags & flag_final) != 0) told |= ompt_task_final;
  if ((flags & flag_mergeable) != 0) told |= ompt_task_mergeable;
  return told;
}

/// Its id.
[[gnu::always_inline]] inline std::uint64_t create_task(std::uint64_t creator, int flags, bool depends,
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

/// The program's function, and what it is called with: in two registers.
struct Begun {
  Function call;
  void* block;
};

/// The task `id` begins to run on the thread.
[[gnu::always_inline]] inline Begun begin_task(Thread& self, std::uint64_t id, Function call, void* block) noexcept {
  const std::uint64_t prior = self.task;
  self.task = id;
  self.function = reinterpret_cast<const void*>(call);
  if (on.has_tasks) [[likely]]
    record(Words{TRACER_WORD(RecordKind::task_schedule, Endpoint::none, ompt_task_switch), 0, prior, id});
  return {call, block};
}

/// What is kept of the task that a thread runs while it runs another: in two registers. The second has the function,
/// and which process it is: addresses of code have 48 bits.
struct Prior {
  std::uint64_t task, word;

  [[gnu::always_inline]] inline explicit Prior(const Thread& self) noexcept
      : task(self.task), word(reinterpret_cast<std::uint64_t>(self.function) << 16 | (self.process & 0xffff)) {}
  const void* function() const noexcept { return reinterpret_cast<const void*>(word >> 16); }
  bool is_of_this_process() const noexcept { return ((word ^ process.load(std::memory_order_relaxed)) & 0xffff) == 0; }
};
Prior prior_task() noexcept;
/// In a child that was forked inside nothing ends.
void end_task(std::uint64_t id, Prior prior) noexcept;

/// Runs what libgomp calls a function of ours for with `argument`, by begin_task(). It keeps three words on the stack:
/// what else it needs is done by functions that are called.
[[gnu::always_inline]] inline void run_task_of(void* argument, Begun (*begin)(void*)) {
  const Prior prior = prior_task();
  const Begun begun = begin(argument);
  const std::uint64_t id = thread.task;
  begun.call(begun.block);
  end_task(id, prior);
}

/// Before the program's block where libgomp writes or reads the block, or its alignment is large. libgomp sets the
/// first two words of a taskloop's tasks to their iterations, the third names the reductions; with `detach` the first
/// becomes the event. So the header begins with these three, and they are carried over to the program's block.
struct Header {
  std::uint64_t words[3];
  Function function;
  Copy copy;           ///< the program's, or nullptr
  Copy given;          ///< what libgomp is given for it
  void* data;          ///< the program's block, as long as the creator is inside
  std::uint64_t task;  ///< 0: it gets its id when it begins to run
  std::uint64_t creator;
  const void* code;
  std::uint64_t count;    ///< of a taskloop's iterations
  std::uint32_t offset;   ///< of the program's block
  std::uint32_t flags;    ///< ompt_task_flag_t
  std::uint32_t padding;  ///< of the room that it is in, before it
  std::uint16_t carried;  ///< words
  bool has_group;         ///< the taskloop waits for its tasks
};

constexpr std::uint32_t offset_of(long alignment) noexcept {
  const auto step = alignment > 16 ? static_cast<std::uint32_t>(alignment) : 16u;  // a power of two
  return (static_cast<std::uint32_t>(sizeof(Header)) + step - 1) & ~(step - 1);
}
constexpr long alignment_of(long alignment) noexcept {
  return alignment > plain_alignment ? alignment : plain_alignment;
}

/// What libgomp is given to copy, in a room of the thread: a header with the program's block behind it. nullptr: there
/// is no memory.
Header* new_header(const Frame& frame, Function function, void* data, Copy copy, long size, long alignment,
                   unsigned flags) noexcept;
inline void* room_of(Header& header) noexcept {
  return reinterpret_cast<char*>(&header) - header.padding;
}
void give_back(Header* header) noexcept;
/// What libgomp calls in place of the task's function, and in place of the program's that copies its block.
void run_with_header(void* header);
void copy_with_header(void* to, void* from);

}  // namespace tracer::gomp
