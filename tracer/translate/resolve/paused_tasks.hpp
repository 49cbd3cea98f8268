// SPDX-License-Identifier: BSD-3-Clause
// Tasks that a pause of recording leaves out: those that were created and completed in one. Threads create and complete
// what others have, so no thread alone can decide.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "tracer/ids.hpp"
#include "tracer/record.hpp"
#include "tracer/translate/resolve/tables.hpp"

namespace tracer::translate {

class PausedTasks {
 public:
  /// Takes 8 bytes for each thing that has an id, where there are pauses.
  explicit PausedTasks(const Tables& tables);
  /// Of a channel, in its order. `created`: the task that the record creates. Any thread, each its own channels.
  void take(const Record& r, TaskId created) noexcept;
  /// Whether there are any, when all records were taken.
  bool are_there() const;
  /// Takes them out of `tables`, which know where each task begins. Nobody is told: a program wants its pauses.
  void leave_out(Tables& tables) const;

 private:
  /// By pauses from 1 on; 0: it did not happen in one.
  struct Life {
    std::atomic<std::uint32_t> created{0}, ended{0};
    bool is_in_one_pause() const noexcept {
      const std::uint32_t pause = created.load(std::memory_order_relaxed);
      return pause != 0 && pause == ended.load(std::memory_order_relaxed);
    }
  };
  Life* life(TaskId id) const noexcept;

  const Tables& tables_;
  std::vector<std::unique_ptr<Life[]>> lives_;  ///< by channel and row of its entities; empty: there are no pauses
};

}  // namespace tracer::translate
