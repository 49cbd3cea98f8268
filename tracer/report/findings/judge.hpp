// SPDX-License-Identifier: BSD-3-Clause
// Who makes the verdict: goes through the account, finding by finding (the other files of this folder).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracer/base/formatted.hpp"
#include "tracer/base/units.hpp"
#include "tracer/definitions.hpp"
#include "tracer/replay/not_recorded.hpp"
#include "tracer/report/findings/crowding.hpp"
#include "tracer/report/measures/ratios.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

/// For "%llu".
inline unsigned long long number(std::uint64_t value) {
  return value;
}
inline std::string time(std::uint64_t ns) {
  return duration_text(ns);
}
/// "" where they idle for no time.
std::string others_idle(std::uint64_t ns, std::uint64_t in_all);
/// A region's name as a sentence has it: without "!$omp ".
std::string without_directive(const std::string& name);

/// What follows another that soon, and so often, costs by being started rather than by what it does.
inline constexpr std::uint64_t short_region = 100'000, often = 100;  // ns; times

/// What gives tasks a priority: runtimes ignore the clause alone.
inline constexpr const char* priority_of_tasks =
    "priority() with OMP_MAX_TASK_PRIORITY set (it is 0 by default, and the clause is ignored then)";

/// Of the threads' time: waiting that is less is not worth a word.
inline constexpr double least_held_up = 0.03;

using Cells = std::vector<std::size_t>;

class Judge {
 public:
  /// Splits cells of the report's account where a finding has a part of one.
  Judge(Report& report, const Definitions& definitions);
  Verdict judge();

 private:
  /// What is looked for in the account, in one table (judge.cpp).
  struct Row {
    const char *group, *ids;  ///< what it is about, and which findings it may add
    void (Judge::*look)();
    bool when_perturbed;  ///< also where recording took so long that waiting times mean nothing
    std::uint32_t needs;  ///< RecordGroup: without one of these recorded it would be concluded from what is missing
  };
  static const Row findings[];

  // What kind of run it was (run.cpp, losses.cpp, processors.cpp).
  void what_the_run_was();
  void how_good_the_trace_is();
  bool has_more_threads_than_processors() const;
  void delayed_threads();
  void unknown_delay();
  void left_out_by_the_filter();
  void stolen_time();
  void recording_itself();
  void sleeping_machine();
  void what_was_not_recorded();
  std::string not_looked_for() const;
  void asleep_at_work();
  void pageable_memory();
  std::uint64_t own_wall() const;
  double demand() const;
  bool work_filled_the_processors(double processors) const;
  void begin_and_end_of_mpi();
  void spawned_programs();
  void level_of_threads();
  void one_thread();
  void never_received();
  void polls();
  void losses();
  bool lacks_last_records() const;
  void lines_that_are_missing();
  std::string fewer_threads(int allowed) const;
  std::string how_to_have_processors() const;
  void oversubscription();
  void crowding(const Crowding& crowding);
  void take_delay(Finding finding, std::uint64_t ns, std::uint64_t threads);
  std::uint64_t threads_at_once() const;
  std::string who_was_killed() const;
  void last_seen();
  std::string threads_in(const std::map<RegionRef, std::vector<LocationRef>>& seen) const;

  // Findings, each worth a word only from least_share of the run on.
  void serial();
  struct SerialPart {
    std::uint64_t ns = 0;  ///< of the run
    double threads = 0;    ///< of the processes that have several
    bool is_mean = false;  ///< of processes that run at one time
  };
  SerialPart serial_part(std::uint64_t idle) const;
  std::optional<SerialStretch> longest_stretch(std::uint64_t serial) const;
  void short_regions();
  std::vector<std::vector<const ParallelRow*>> groups_of_short_regions() const;
  struct ShortRegions {
    Cells cells;
    std::uint64_t work = 0;  ///< ns of their threads
    bool has_load = false;   ///< that threads wait for, apart from what is in the cells
  };
  std::vector<ShortRegions> costs_of(const std::vector<std::vector<const ParallelRow*>>& groups) const;
  bool is_short(const ParallelRow& row, std::uint64_t times) const;
  bool without_load(const ParallelRow& region, Cells& mine) const;
  std::string names_of(const std::vector<const ParallelRow*>& group) const;
  RegionRef first_of(const std::vector<const ParallelRow*>& group) const;
  void late_threads();
  void unused();
  std::uint64_t threads_of_a_process() const;
  void devices();
  void data_movement();
  void code_loading();
  Cells cells_of_operations(const DataMovementRow& row);
  void take_idle(Cells& mine, Place idle, RegionRef beside, double part);
  std::string take_idle_beside_devices(Cells& mine);
  std::string of_devices() const;
  TransferTotals pageable_copies() const;
  std::string pin_memory() const;
  std::uint64_t beside_devices(const Cells& waits) const;
  void frequent_barriers();
  void imbalance();
  /// That threads wait at for one cause.
  struct Barriers {
    std::size_t number = 0;   ///< without those where they hardly wait
    std::uint64_t times = 0;  ///< at these together
    std::uint64_t most = 0;   ///< times at one
    std::string text;
  };
  Barriers barriers_of(const Cells& mine) const;
  void uneven(RegionRef cause, const AccountRow& row, const Cells& cells);
  void locks();
  std::string with_waits_behind(Cells& mine, const Cells& behind) const;
  std::string held_by(const Cells& mine) const;
  bool is_doacross(RegionRef region) const;
  void doacross(RegionRef sink, Cells mine, const Cells& behind);
  void unseen_sinks(const RegionRow& row);
  void small_chunks();
  std::optional<std::size_t> cell_of_work(const RegionRow& loop) const;
  void tasks();
  void small_tasks();
  RegionRef most_frequent(const TasksIn& tasks) const;
  TasksIn tasks_of(RegionRef parallel) const;
  void detached_tasks();
  void starvation();
  void starving(const TasksIn& here, const Cells& mine);
  bool few_tasks_at_a_time(const TasksIn& here, const Cells& mine, const std::string& seen);
  void queued_tasks();
  bool is_at_work(RegionRef cause) const;
  std::uint64_t delayed_work() const;
  double ran_of_work() const;
  std::uint64_t held_up_work(const Cells& mine) const;
  std::uint64_t unequal_computing() const;
  bool is_held_up(const Cells& mine, bool is_handed_out);
  bool is_late_by_load(const Cells& mine);
  void note_held_up();
  bool is_handed_out(RegionRef loop) const;
  void waits_in_mpi();
  void idle_beside_mpi();
  std::string unequal_ranks() const;
  Balance balance_of_ranks() const;
  void ranks();

  void preempted_work();
  void time_in_the_kernel();

  // What samples and scheduling add to them (samples.cpp); "" where there are none.
  std::string ran_meanwhile(RegionRef construct, Activity waiting) const;
  std::string how_waited(RegionRef region) const;

  // Words for them.
  LockTotals held_at(RegionRef region) const;
  std::string where(const SerialStretch& stretch) const;
  std::string start_or_end_of_program(const SerialStretch& longest) const;
  std::string for_loop(RegionRef loop, std::uint32_t threads) const;
  std::string for_region(RegionRef cause) const;

  // Cells of the account, by their indices. A cell is of one finding only: of the first that takes it.
  template <class Which>
  Cells cells(Which&& which) const {
    Cells found;
    for (std::size_t i = 0; i < account_.details.size(); ++i)
      if ((i >= taken_.size() || !taken_[i]) && which(account_.details[i])) found.push_back(i);
    return found;
  }
  /// These, by their parallel regions: for what is looked for in each of very many.
  template <class Which>
  std::unordered_map<RegionRef, Cells> cells_by_parallel(Which&& which) const {
    std::unordered_map<RegionRef, Cells> found;
    for (const std::size_t cell : cells(which)) found[account_.details[cell].parallel].push_back(cell);
    return found;
  }
  Cells cells_of(Place place) const;
  std::uint64_t sum(const Cells& cells) const;
  /// All of them as one row: what is longest, how often.
  AccountRow summary(const Cells& cells) const;
  /// How many threads were in the row's team; where that is unknown, in the run.
  std::uint64_t team_of(const AccountRow& row) const { return row.threads != 0 ? row.threads : threads_; }
  void take(const Cells& cells);
  /// A part of a cell, which is a cell then.
  std::size_t split(std::size_t cell, std::uint64_t ns, Place of);
  /// Of these cells, in their order, so much: of the last one a part.
  Cells part_of(const Cells& which, std::uint64_t ns);

  void note(std::string id, std::string text);
  void no_advice(const char* why);
  Finding at(RegionRef region) const;
  std::string name(RegionRef region) const;
  Directive construct(RegionRef region) const;
  RegionRole role(RegionRef region) const;
  void sure(Finding& finding, const char* how) const;
  void add(Finding finding, std::string id, Cells cells, std::uint64_t most = ~std::uint64_t{0});
  void find();
  bool is_perturbed() const { return verdict_.state == "perturbed"; }
  /// The time of threads that were there, in ns: libgomp may end and create hundreds in a run of four.
  std::uint64_t there() const { return account_.total - account_.at(Place::absent); }
  double threads_there() const;
  double threads_beside(const AccountRow& row) const;
  /// What a place loses in cells that are of no finding.
  struct Rest {
    Place place = Place::unknown;
    std::uint64_t ns = 0;
    double win = 0;  ///< ns of the run
  };
  Rest largest_rest() const;
  void summarize();
  std::string reason() const;

  const Report& report_;
  Account& account_;
  const Definitions& definitions_;
  const std::vector<RegionClass> classes_;
  const NotRecorded lacks_;
  const std::uint64_t wall_;  ///< of the run, without the time that recording was off
  const std::uint64_t threads_;
  std::optional<Crowding> crowding_;
  bool doubtful_ = false;  ///< times are not what they would be on a quiet machine, or of the whole trace
  /// Share of the run that may lie anywhere: the time of the processors that a virtual machine's host took, and a part
  /// of what others on the machine did.
  double noise_ = 0;
  /// What threads slept of what counts as the program's own work, in ns, at least; 0: not worth a word.
  std::uint64_t asleep_at_work_ = 0;
  std::vector<bool> taken_;  ///< cells that are of a finding
  /// Waiting that may come from other load, and how long the threads that worked had no processor, both in ns.
  struct HeldUp {
    std::uint64_t ns = 0, delayed = 0;
  };
  std::map<RegionRef, HeldUp> waited_, came_late_;  ///< by the place where threads waited
  Cells held_up_;                                   ///< of these
  Verdict verdict_;
};

}  // namespace tracer::report
