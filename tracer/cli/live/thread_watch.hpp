// SPDX-License-Identifier: BSD-3-Clause
// What a running thread is in, out of the newest records of its ring: for `tracer top`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/raw/live_rings.hpp"

namespace tracer::cli {

/// What a thread is inside of, and from when on.
struct Inside {
  RecordKind kind = RecordKind::invalid;  ///< invalid: nothing in the records
  std::uint16_t sub = 0;
  std::uint64_t address = 0;  ///< in the program, 0 unknown
  Ticks since = 0;            ///< of nothing: its last record
};

struct Rates {
  std::uint64_t parallels = 0, tasks_created = 0, tasks_run = 0, barriers = 0, loops = 0, locks = 0, mpi_calls = 0;
  void add(const Rates& other);
};

/// Follows one ring from look to look.
class ThreadWatch {
 public:
  /// `now`: the clock at the look. What was recorded between two looks and is gone is not guessed: numbers are of what
  /// was seen.
  void see(const raw::RingView& view, Ticks now);

  std::uint64_t next() const { return next_; }          ///< the first position not seen yet
  std::uint64_t recorded() const { return recorded_; }  ///< records since the last look, seen or not
  std::uint64_t seen() const { return seen_; }
  const Rates& rates() const { return rates_; }  ///< of what was seen since the last look
  Ticks seen_for() const { return seen_for_; }   ///< ticks that what was seen covers
  Ticks waited() const { return waited_; }       ///< of these
  Ticks in_mpi() const { return in_mpi_; }       ///< likewise, working or waiting
  const Inside& inside() const { return inside_; }
  bool idle() const { return idle_; }  ///< a worker without a team
  std::uint32_t os_thread_id() const { return os_thread_id_; }

 private:
  void record(const Record& record);
  void mutex_acquire(const Record& record);
  void mutex_acquired(Ticks time);
  void leave_failed_test(const Record& next);
  bool is_at_mutex() const;
  void push(RecordKind kind, const Record& record, std::uint64_t address);
  void pop(RecordKind kind, Ticks time);
  void add(Ticks& sum, Ticks from, Ticks to) const;

  std::vector<Inside> stack_;
  Inside inside_;
  Rates rates_;
  bool idle_ = false, started_ = false;
  std::uint32_t os_thread_id_ = 0;
  std::uint64_t next_ = 0, recorded_ = 0, seen_ = 0;
  Ticks seen_for_ = 0, waited_ = 0, in_mpi_ = 0, from_ = 0, last_ = 0;
};

/// "implicit barrier", "for", "critical", "MPI_Recv", ...: a construct as people call it.
std::string construct_name(const Inside& inside);
bool is_wait(const Inside& inside);

}  // namespace tracer::cli
