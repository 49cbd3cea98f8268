// SPDX-License-Identifier: BSD-3-Clause
// See stack_walk.hpp.
#include "tracer/sample/stack_walk.hpp"

#include <pthread.h>

#include <atomic>

#include "formats/raw/samples.hpp"
#include "tracer/sample/frame_tables.hpp"
#include "tracer/sample/no_table.hpp"
#include "tracer/sample/trampolines.hpp"

namespace tracer::sample {
namespace {

constinit std::atomic<bool> may_unwind{false};

/// What a frame is followed by.
struct Registers {
  std::uint64_t code = 0, stack = 0, frame = 0;
};

Registers registers_of(const FrameState& frame) noexcept {
  return {frame.code, frame.stack(), frame.registers[frame_register]};
}

/// Writes frames; a frame is known whole when the next one is.
class Walk {
 public:
  Walk(const AskedRuntime& asked, const StackBounds& bounds, std::span<std::uint64_t> frames,
       const Registers& interrupted) noexcept
      : parts_(asked, {interrupted.stack, bounds.high}),
        bounds_{interrupted.stack, bounds.high},
        frames_(frames),
        last_(interrupted) {}

  /// The frame around the last one. False: no further. On AArch64 the innermost may take nothing of the stack.
  bool next(const Registers& caller) noexcept {
    const bool is_above = caller.stack > last_.stack || (caller.stack == last_.stack && count_ == 0);
    if (is_full() || caller.code == 0 || !is_above || !bounds_.contains(caller.stack)) return false;
    put(caller.stack);
    last_ = caller;
    return !is_full();
  }
  /// How many there are.
  std::size_t finish() noexcept {
    if (!is_full()) put(bounds_.high);
    return count_;
  }
  /// From the last frame on by frame pointers: [frame] is the caller's, the word behind it the address in it.
  void follow_frame_pointers() noexcept {
    for (;;) {
      std::uint64_t frame = last_.frame;
      if (!is_frame(frame))
        frame = parts_.next_entry(last_.stack);  // the runtime's code keeps none, its edges are known
      if (!is_frame(frame)) return;
      const auto* words = reinterpret_cast<const std::uint64_t*>(frame);
      if (!next({words[1], frame + 16, words[0]})) return;
    }
  }

 private:
  bool is_full() const noexcept { return count_ == frames_.size(); }
  bool is_frame(std::uint64_t frame) const noexcept {
    return frame % 8 == 0 && frame >= last_.stack && frame < bounds_.high && bounds_.high - frame >= 16;
  }
  void put(std::uint64_t end) noexcept {
    const bool is_runtime = parts_.is_runtime(last_.stack, end);
    frames_[count_++] = last_.code | (is_runtime ? raw::frame_of_runtime : 0);
  }

  RuntimeParts parts_;
  StackBounds bounds_;
  std::span<std::uint64_t> frames_;
  std::size_t count_ = 0;
  Registers last_;
};

}  // namespace

StackBounds own_stack_bounds() noexcept {
  StackBounds bounds;
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return bounds;
  void* low = nullptr;
  std::size_t size = 0;
  if (::pthread_attr_getstack(&attributes, &low, &size) == 0) {
    bounds.low = reinterpret_cast<std::uint64_t>(low);
    bounds.high = bounds.low + size;
  }
  ::pthread_attr_destroy(&attributes);
  return bounds;
}

bool prepare_unwinder() noexcept {
  may_unwind.store(can_find_tables());
  return may_unwind.load();
}

RuntimeParts::RuntimeParts(const AskedRuntime& asked, const StackBounds& bounds) noexcept {
  std::uint64_t least = bounds.low;
  const auto add = [&](std::uint64_t at, bool to_user, bool frame_is_user) {
    if (at < least || at >= bounds.high) return false;  // not set, of before, or on another thread's stack
    edges_[count_++] = {at, to_user, frame_is_user};
    least = at;
    return true;
  };
  for (std::size_t i = 0; i < asked.tasks; ++i) {
    const TaskFrames& frames = asked.frames[i];
    const bool entered = add(frames.enter, true, frames.enter_is_user);
    if (i == 0) in_runtime_ = entered;
    if ((i != 0 && !entered) || !add(frames.exit, false, frames.exit_is_user)) break;
  }
}

bool RuntimeParts::is_runtime(std::uint64_t stack, std::uint64_t end) noexcept {
  for (; next_ != count_ && edges_[next_].at < stack; ++next_) in_runtime_ = !edges_[next_].to_user;
  bool answer = in_runtime_;
  for (; next_ != count_ && edges_[next_].at < end; ++next_) {
    answer = !edges_[next_].frame_is_user;
    in_runtime_ = !edges_[next_].to_user;
  }
  return answer;
}

std::uint64_t RuntimeParts::next_entry(std::uint64_t from) const noexcept {
  for (std::size_t i = next_; i != count_; ++i)
    if (edges_[i].to_user && edges_[i].at >= from) return edges_[i].at;
  return 0;
}

std::size_t walk_stack(const void* context, const AskedRuntime& asked, const StackBounds& bounds,
                       std::span<std::uint64_t> frames) noexcept {
  FrameState frame = interrupted_frame(context);
  if (!bounds.contains(frame.stack())) {  // a coroutine's, or a signal's stack: its end is unknown
    frames[0] = frame.code;
    return 1;
  }
  Walk walk(asked, bounds, frames, registers_of(frame));
  if (may_unwind.load(std::memory_order_relaxed)) {
    CodeWithoutTable without_table;
    const auto leave = [&] {
      const StackBounds above{frame.stack(), bounds.high};
      return unwind(frame, above) || leave_trampoline(frame, above) || without_table.leave(frame, above);
    };
    while (leave() && walk.next(registers_of(frame))) continue;
  }
  walk.follow_frame_pointers();  // through code without tables
  return walk.finish();
}

}  // namespace tracer::sample
