// SPDX-License-Identifier: BSD-3-Clause
// Memory for what an entry point keeps while libgomp runs the program's code inside of the call. Not on the stack:
// calls nest as deeply as the program's stack permits, and that is sized for the program alone.
//
// A call that is left by longjmp does not give its room back. Such a room is found by its place on the stack, where
// another call is now, and used again: so a thread has no more rooms than calls have fitted into its stack at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tracer::gomp {

/// Of a call of an entry point.
struct Frame {
  std::uintptr_t at;  ///< the stack's address before the call, below which is the return address
  const void* from;   ///< that
};

/// The memory follows it.
struct alignas(16) Room {
  Room* next;
  std::uintptr_t at;  ///< as in Frame, of who has it
  const void* from;
  void (*left)(void*);  ///< called with `what` where the call turns out to have been left; nullptr: nothing is
  void* what;
  std::size_t bytes;
  void* memory() noexcept { return this + 1; }
  static Room& of(void* memory) noexcept { return static_cast<Room*>(memory)[-1]; }
};

/// A thread's. Only what nests more deeply or is larger than ever before on the thread allocates from the system. A
/// handler of a signal leaves it as it was.
class Rooms {
 public:
  /// What is larger gets a room of its own from the system, which the thread keeps up to a size.
  static constexpr std::size_t usual = 256;

  /// Before a call at this place of the stack: ends those that have been left.
  void look(std::uintptr_t at) noexcept {
    if (taken_ != nullptr && taken_->at <= at) [[unlikely]]
      give_back_left(at);
  }
  /// For `size` bytes, aligned for whatever has no alignment of its own. nullptr: there is no memory.
  void* take(const Frame& frame, std::size_t size) noexcept {
    look(frame.at);
    Room* room = free_;
    if (room == nullptr || size > usual) [[unlikely]] {
      room = another(size);
      if (room == nullptr) return nullptr;
    } else {
      free_ = room->next;
    }
    room->at = frame.at;
    room->from = frame.from;
    room->left = nullptr;
    Room** const place = taken_ == nullptr || taken_->at > frame.at ? &taken_ : place_of(frame.at);
    room->next = *place;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    *place = room;
    return room->memory();
  }

  void give_back(void* memory) noexcept {
    Room& room = Room::of(memory);
    if (taken_ == &room) [[likely]]
      taken_ = room.next;
    else if (!take_out(room))
      return;  // its stack was put aside meanwhile, and another's in its place
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (room.bytes > usual) [[unlikely]]
      return keep_large(room);
    room.next = free_;
    free_ = &room;
  }

  /// left(what) is to be called where the call turns out to have been left.
  static void when_left(void* memory, void (*left)(void*), void* what) noexcept {
    Room::of(memory).what = what;
    Room::of(memory).left = left;
  }
  /// In a child that was forked meanwhile its parent's calls are not recorded.
  void forget_left() noexcept {
    for (Room* room = taken_; room != nullptr; room = room->next) room->left = nullptr;
  }

 private:
  static constexpr unsigned own_count = 2;
  struct Usual {
    Room room;
    unsigned char memory[usual];
  };
  struct Chunk;
  friend struct Chunk;

  /// Those that calls have had which are no more.
  void give_back_left(std::uintptr_t at) noexcept;
  Room** place_of(std::uintptr_t at) noexcept;
  bool take_out(Room& room) noexcept;
  Room* another(std::size_t size) noexcept;
  Room* another_large(std::size_t size) noexcept;
  void keep_large(Room& room) noexcept;
  void add(Usual* rooms, std::size_t count) noexcept;
  /// At the thread's end.
  void hand_over() noexcept;

  Room* taken_ = nullptr;  ///< from the lowest place on the stack up: from the innermost call out
  Room* free_ = nullptr;   ///< of the usual size
  Room* large_ = nullptr;  ///< free, too
  Chunk* chunks_ = nullptr;
  bool has_own_ = false, is_looking_ = false;
  Usual own_[own_count]{};
};

}  // namespace tracer::gomp
