// SPDX-License-Identifier: BSD-3-Clause
// Which task waits for which, from the variables that tasks name in `depend`: for runtimes that do not report it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/event.hpp"
#include "tracer/replay/replay_state.hpp"

namespace tracer::report {

/// The rules of OpenMP for tasks that one task creates, in the order of their creation. One thread.
class DeclaredDependences {
 public:
  explicit DeclaredDependences(const Definitions& definitions);
  /// Tasks of the trace name variables.
  bool any() const { return !kinds_.empty(); }
  /// The incomplete tasks that `task`, which is new and has a parent, must wait for; valid until the next call.
  std::span<Task* const> predecessors(Task& task, std::span<const EventAttribute> attributes);

 private:
  enum class Kind { in, out, mutual, set, all };  // of one kind next to each other all but `out` may run in any order
  /// A task's memory is used again for another number.
  struct Entry {
    Task* task;
    std::uint64_t number;
    bool is_open() const { return task->number == number && !task->completed; }
  };
  struct Variable {
    Kind kind = Kind::out;
    std::vector<Entry> last, before;  ///< the tasks of that kind, and those that they wait for
  };
  struct Key {
    const Task* parent;
    std::uint64_t parent_number, address;
    bool operator==(const Key&) const = default;
    struct Hash {
      std::size_t operator()(const Key& key) const noexcept {
        return (key.address ^ reinterpret_cast<std::uintptr_t>(key.parent) ^ key.parent_number << 48) *
               0x9e3779b97f4a7c15u;
      }
    };
  };
  /// Of a variable.
  void declare(Task& task, Kind kind, std::uint64_t address);
  static void add_open(const std::vector<Entry>& entries, const Task& but, std::vector<Task*>& tasks);
  void forget_complete();

  std::map<std::uint32_t, Kind> kinds_;  ///< of attributes
  std::unordered_map<Key, Variable, Key::Hash> variables_;
  bool names_all_ = false;      ///< tasks of the trace name omp_all_memory
  std::size_t look_at_ = 1024;  ///< variables, before those are forgotten that nothing waits for
  std::vector<Task*> found_;
};

}  // namespace tracer::report
