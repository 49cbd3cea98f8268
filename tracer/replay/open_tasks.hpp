// SPDX-License-Identifier: BSD-3-Clause
// The explicit tasks of a replay that are not complete, by what events call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/replay/replay_state.hpp"

namespace tracer::report {

/// As OTF2 names a task: by its team, and the rank there and the generation that its creator gave it.
struct TaskKey {
  CommRef comm = 0;
  std::uint32_t rank = 0;
  std::uint64_t generation = 0;
  bool operator==(const TaskKey&) const = default;
};

/// Open addressing, in which generations that follow each other are neighbours; one thread.
class OpenTasks {
 public:
  /// The place of a task, a null reference where there is none yet; valid until the next call.
  TaskRef& operator[](const TaskKey& key) {
    if (2 * size_ >= slots_.size()) grow();
    Slot& slot = slots_[find(key)];
    if (slot.task == nullptr) {
      slot.key = key;
      ++size_;
    }
    return slot.task;
  }
  /// Takes it out; null: there is none.
  TaskRef take(const TaskKey& key) {
    if (size_ == 0) return {};
    const std::size_t at = find(key);
    TaskRef task = std::move(slots_[at].task);
    if (task == nullptr) return task;
    --size_;
    close_gap(at);
    return task;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Slot& slot : slots_)
      if (slot.task != nullptr) visit(*slot.task);
  }

 private:
  struct Slot {
    TaskKey key;
    TaskRef task;  ///< null: the slot is free
  };
  static constexpr std::uint64_t neighbours = 8;

  std::size_t home(const TaskKey& key) const noexcept {
    const std::uint64_t mixed =
        (key.generation / neighbours ^ std::uint64_t{key.comm} << 40 ^ std::uint64_t{key.rank} << 20) *
        0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>((mixed >> 32) * neighbours + key.generation % neighbours) & (slots_.size() - 1);
  }
  std::size_t find(const TaskKey& key) const noexcept {
    std::size_t at = home(key);
    while (slots_[at].task != nullptr && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  /// What was put behind the slot because it was taken moves up.
  void close_gap(std::size_t gap) noexcept {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = (gap + 1) & mask; slots_[at].task != nullptr; at = (at + 1) & mask) {
      if (((at - home(slots_[at].key)) & mask) < ((at - gap) & mask)) continue;
      slots_[gap].key = slots_[at].key;
      slots_[gap].task = std::move(slots_[at].task);
      gap = at;
    }
  }
  void grow() {
    std::vector<Slot> before(slots_.empty() ? 64 : 2 * slots_.size());
    before.swap(slots_);
    for (Slot& slot : before)
      if (slot.task != nullptr) slots_[find(slot.key)] = std::move(slot);
  }

  std::vector<Slot> slots_;  ///< a power of two
  std::size_t size_ = 0;
};

}  // namespace tracer::report
