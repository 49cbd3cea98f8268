// SPDX-License-Identifier: BSD-3-Clause
// The explicit tasks that have started on a location and are not complete: few at a time, many in a run. States are
// used again and keep their memory; their addresses stay while a task lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tracer/ids.hpp"

namespace tracer::translate {

template <class State>
class LiveTasks {
 public:
  State* find(TaskId id) noexcept {
    for (std::size_t i = home(id);; i = next(i)) {
      if (slots_[i].state == nullptr) return nullptr;
      if (slots_[i].id == id) return slots_[i].state;
    }
  }

  /// A state, as the last task left it, for a task that is not there.
  State& add(TaskId id) {
    if ((count_ + 1) * 2 > slots_.size()) grow();
    if (spare_.empty()) {
      all_.push_back(std::make_unique<State>());
      spare_.push_back(all_.back().get());
    }
    State* state = spare_.back();
    spare_.pop_back();
    place({id, state});
    ++count_;
    return *state;
  }

  void erase(TaskId id) {
    std::size_t hole = home(id);
    while (slots_[hole].state != nullptr && slots_[hole].id != id) hole = next(hole);
    if (slots_[hole].state == nullptr) return;
    spare_.push_back(slots_[hole].state);
    --count_;
    // What follows moves up, unless it would come to stand before its home.
    for (std::size_t i = next(hole); slots_[i].state != nullptr; i = next(i)) {
      if (distance(home(slots_[i].id), i) < distance(hole, i)) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole] = {};
  }

  bool empty() const noexcept { return count_ == 0; }

  template <class Body>
  void for_each(const Body& body) const {
    for (const Slot& slot : slots_)
      if (slot.state != nullptr) body(slot.id, *slot.state);
  }

 private:
  struct Slot {
    TaskId id = no_id;
    State* state = nullptr;
  };

  std::size_t home(TaskId id) const noexcept {
    return static_cast<std::size_t>((id * 0x9e3779b97f4a7c15ull) >> 32) & (slots_.size() - 1);
  }
  std::size_t next(std::size_t i) const noexcept { return (i + 1) & (slots_.size() - 1); }
  std::size_t distance(std::size_t from, std::size_t to) const noexcept { return (to - from) & (slots_.size() - 1); }

  void place(const Slot& slot) noexcept {
    std::size_t i = home(slot.id);
    while (slots_[i].state != nullptr) i = next(i);
    slots_[i] = slot;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.state != nullptr) place(slot);
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::size_t count_ = 0;
  std::vector<std::unique_ptr<State>> all_;
  std::vector<State*> spare_;
};

}  // namespace tracer::translate
