// SPDX-License-Identifier: BSD-3-Clause
// The nesting of a thread's regions and teams: orders that runtimes give, and those that are completed to one.
#include <string>
#include <vector>

#include "catch.hpp"
#include "support/records.hpp"
#include "tracer/translate/scan/nesting.hpp"

using namespace tracer;
using namespace tracer::test;
using namespace tracer::translate;
using Lines = std::vector<std::string>;

namespace {

constexpr ParallelId region = make_id(0, 2), inner = make_id(0, 5), foreign = make_id(1, 2);
constexpr TaskId master_task = make_id(0, 3), inner_task = make_id(0, 6), worker_task = make_id(0, 7);

/// Writes down what is said: "begun own", "ended", "joined around".
struct Listener final : Nesting::Listener {
  void forked(const Record&) override { lines.emplace_back("forked"); }
  void begun(const PartBegin& part, const Record&) override {
    lines.push_back(std::string("begun") + (part.own ? " own" : "") + (part.joins ? " foreign" : "") +
                    (part.synthesized ? " synthesized" : ""));
  }
  void recorded(std::size_t part, const Record&) override { lines.push_back("recorded " + std::to_string(part)); }
  void ended(EndCause cause, const Record&) override { lines.push_back("ended" + why(cause)); }
  void joined(EndCause cause, const Record&) override { lines.push_back("joined" + why(cause)); }
  void ignored(const Record&) override { lines.emplace_back("ignored"); }
  static std::string why(EndCause cause) {
    static const char* const causes[] = {"", " goes on", " around", " around unreported"};
    return causes[static_cast<std::size_t>(cause)];
  }
  Lines lines;
};

Lines nesting_of(const std::vector<Record>& records, bool* out_of_order = nullptr) {
  Listener listener;
  Nesting nesting(0, listener);
  for (const Record& r : records) {
    if (nesting.is_at_boundary()) nesting.complete_boundary(r);
    if (r.kind == RecordKind::parallel_begin) {
      if (!nesting.parallel_begin(r)) listener.lines.emplace_back("no region");
    } else if (r.kind == RecordKind::parallel_end) {
      nesting.parallel_end(r);
    } else if (r.kind == RecordKind::implicit_task || r.kind == RecordKind::initial_task) {
      r.endpoint == Endpoint::begin ? nesting.part_begin(r) : nesting.part_end(r);
    } else if (r.kind == RecordKind::task_schedule) {
      const Record run = nesting.task_switch(r);
      listener.lines.push_back(std::to_string(counter_of(run.b)) + " to " + std::to_string(counter_of(run.c)));
    } else if (r.kind == RecordKind::task_create) {
      listener.lines.push_back("created in " + std::to_string(nesting.part_of_creator(r.b)));
    }
  }
  if (out_of_order != nullptr) *out_of_order = nesting.is_out_of_order();
  return listener.lines;
}

const Record forked = parallel_begin(10, region, 2), begins = implicit_task_begin(20, region, master_task, 0, 2),
             ends = implicit_task_end(80, master_task), join = parallel_end(90, region),
             barrier = sync_begin(50, sync_kind::barrier_explicit);

}  // namespace

TEST_CASE("a region in the order that runtimes give is told as it is") {
  bool out_of_order = true;
  CHECK(nesting_of({forked, begins, barrier, ends, join}, &out_of_order) ==
        Lines{"forked", "begun own", "ended", "joined"});
  CHECK_FALSE(out_of_order);
}

TEST_CASE("a thread that goes on behind its fork begins its part there, and its late begin is that part's") {
  bool out_of_order = false;
  CHECK(nesting_of({forked, barrier, begins, ends, join}, &out_of_order) ==
        Lines{"forked", "begun own synthesized", "recorded 0", "ended", "joined"});
  CHECK(out_of_order);
}

TEST_CASE("a thread that goes on behind its part's end joins there, and the late end of the region is none") {
  CHECK(nesting_of({forked, begins, ends, barrier, join}) == Lines{"forked", "begun own", "ended", "joined goes on"});
}

TEST_CASE("an end of a region ends what is open inside it") {
  CHECK(nesting_of({forked, begins, parallel_begin(30, inner, 1), implicit_task_begin(31, inner, inner_task, 0, 1),
                    implicit_task_end(80, master_task), join}) == Lines{"forked", "begun own", "forked", "begun own",
                                                                        "ended around unreported", "joined around",
                                                                        "ended", "joined"});
  CHECK(nesting_of({forked, begins, join, join}) ==
        Lines{"forked", "begun own", "ended around unreported", "joined", "ignored"});
}

TEST_CASE("another thread's team ends all that this thread was in") {
  CHECK(nesting_of({forked, begins, implicit_task_begin(30, foreign, worker_task, 1, 2)}) ==
        Lines{"forked", "begun own", "ended around unreported", "joined around unreported", "begun foreign"});
}

TEST_CASE("a part of a team that was not forked last is no team's own") {
  CHECK(nesting_of({forked, begins, implicit_task_begin(30, region, inner_task, 0, 2)}) ==
        Lines{"forked", "begun own", "begun"});
}

TEST_CASE("a runtime that first sees its thread in another one's region begins and ends no part") {
  constexpr TaskId initial = make_id(0, 4);
  const Record begins_initial = initial_task_begin(21, initial), ends_initial = initial_task_end(95, initial);
  const Record forks_inside = parallel_begin(30, inner, 1),
               begins_inside = implicit_task_begin(31, inner, inner_task, 0, 1),
               ends_inside = implicit_task_end(40, inner_task), joins_inside = parallel_end(41, inner);
  bool out_of_order = true;
  CHECK(nesting_of({forked, begins, begins_initial, forks_inside, begins_inside, ends_inside, joins_inside, ends, join,
                    ends_initial},
                   &out_of_order) ==
        Lines{"forked", "begun own", "forked", "begun own", "ended", "joined", "ended", "joined"});
  CHECK_FALSE(out_of_order);
  // Outside of all teams it is a part, which has all regions inside.
  CHECK(nesting_of(
            {initial_task_begin(5, make_id(0, 1)), forked, begins, ends, join, initial_task_end(95, make_id(0, 1))}) ==
        Lines{"begun", "forked", "begun own", "ended", "joined", "ended"});
}

TEST_CASE("tasks of one runtime run inside another's, and the thread goes back to that") {
  constexpr TaskId initial = make_id(0, 4), one = make_id(0, 8), other = make_id(0, 9), third = make_id(0, 10);
  const auto enters = [](Ticks time, TaskId prior, TaskId next) {
    return task_switch(time, task_status::switched, prior, next);
  };
  const auto completes = [](Ticks time, TaskId task, TaskId next) {
    return task_switch(time, task_status::complete, task, next);
  };
  // The second runtime's current task is its initial one, that of the first is the region's or the task below.
  const Record begins_initial = initial_task_begin(21, initial);
  CHECK(nesting_of({forked, begins, begins_initial, enters(30, master_task, one), enters(31, initial, other),
                    enters(32, one, third), completes(33, third, one), completes(34, other, initial),
                    completes(35, one, master_task), ends, join}) ==
        Lines{"forked", "begun own", "3 to 8", "8 to 9", "9 to 10", "10 to 9", "9 to 8", "8 to 3", "ended", "joined"});
  // The other one's region is between: there the implicit task of that stands for what is around it.
  const Record forks_inside = parallel_begin(30, inner, 1), ends_inside = implicit_task_end(40, inner_task),
               begins_inside = implicit_task_begin(31, inner, inner_task, 0, 1), joins_inside = parallel_end(41, inner);
  CHECK(nesting_of({forked, begins, begins_initial, enters(22, master_task, one), forks_inside, begins_inside,
                    task_create(32, other, one), task_create(33, third, inner_task), enters(34, one, other),
                    completes(35, other, one), enters(36, inner_task, third), completes(37, third, inner_task),
                    ends_inside, joins_inside, completes(42, one, master_task), ends, join}) ==
        Lines{"forked", "begun own", "3 to 8", "forked", "begun own", "created in 0", "created in 1", "6 to 9",
              "9 to 6", "6 to 10", "10 to 6", "ended", "joined", "8 to 3", "ended", "joined"});
}

TEST_CASE("ends of nothing and regions of nobody are said to be so") {
  CHECK(nesting_of({ends}) == Lines{"ignored"});
  CHECK(nesting_of({parallel_begin(10, foreign, 2)}) == Lines{"no region"});
}

// If each asked those around it, this would take an hour.
TEST_CASE("regions nest as deeply as a stack permits, and each costs the same") {
  struct Counts final : Nesting::Listener {
    void forked(const Record&) override { ++forks; }
    void begun(const PartBegin& part, const Record&) override { own += part.own && !part.synthesized; }
    void recorded(std::size_t, const Record&) override { ++others; }
    void ended(EndCause cause, const Record&) override { ends += cause == EndCause::recorded; }
    void joined(EndCause cause, const Record&) override { joins += cause == EndCause::recorded; }
    void ignored(const Record&) override { ++others; }
    unsigned forks = 0, own = 0, ends = 0, joins = 0, others = 0;
  } counts;
  constexpr unsigned levels = 1000000;
  Nesting nesting(0, counts);
  for (unsigned i = 1; i <= levels; ++i) {
    nesting.parallel_begin(parallel_begin(i, make_id(0, 2 * i), 1));
    nesting.part_begin(implicit_task_begin(i, make_id(0, 2 * i), make_id(0, 2 * i + 1), 0, 1));
  }
  for (unsigned i = levels; i > 0; --i) {
    nesting.part_end(implicit_task_end(levels, make_id(0, 2 * i + 1)));
    nesting.parallel_end(parallel_end(levels, make_id(0, 2 * i)));
  }
  CHECK(counts.forks == levels);
  CHECK(counts.own == levels);
  CHECK(counts.ends == levels);
  CHECK(counts.joins == levels);
  CHECK(counts.others == 0);
  CHECK_FALSE(nesting.is_out_of_order());
}
