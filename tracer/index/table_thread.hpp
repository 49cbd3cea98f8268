// SPDX-License-Identifier: BSD-3-Clause
// Builds tables on a thread of their own, beside the one that reads the events.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "tracer/index/table_builder.hpp"

namespace tracer::index {

/// Passes events on to tables, in their order. Where there is one processor, or no thread can be started, on the
/// caller's thread.
class TableThread {
 public:
  /// `threads`: that may be used, the caller's with them; 0: as many as the process has processors.
  TableThread(const TableBuilders& tables, unsigned threads);
  ~TableThread();
  TableThread(const TableThread&) = delete;
  TableThread& operator=(const TableThread&) = delete;
  /// Throws what a table threw.
  void events(LocationRef location, std::span<const Event> events, std::span<const EventAttribute> attributes);
  /// After the last event: the tables have got all of them.
  void finish() { hand_over(true); }

 private:
  struct Run {
    LocationRef location = 0;
    std::size_t events = 0, attributes = 0;
  };
  struct Piece {
    std::vector<Run> runs;
    std::vector<Event> events;
    std::vector<EventAttribute> attributes;
  };
  static constexpr std::size_t piece_events = 1 << 14;

  void start();
  void work();
  void pass_on(const Piece& piece);
  /// The piece that is filled becomes the thread's, when it is done with the last one. `until_done`: with this one,
  /// too.
  void hand_over(bool until_done);

  const TableBuilders& tables_;
  std::uint64_t given_ = 0;  ///< events
  std::uint64_t due_ = 0;    ///< the tables' least due(), or earlier
  bool is_threaded_ = false;
  Piece filled_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Piece piece_;  ///< the thread's, while it is busy
  bool is_busy_ = false, is_over_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace tracer::index
