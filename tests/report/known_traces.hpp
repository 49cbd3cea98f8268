// SPDX-License-Identifier: BSD-3-Clause
// Traces of which one knows what a report must say.
#pragma once

#include "tests/report/trace_builder.hpp"

namespace tracer::test {

inline constexpr std::uint64_t start = 1'000'000;

/// Four threads in a loop, then the barrier.
inline TraceBuilder loop_on_four(std::uint64_t work_of_others, std::uint64_t work_of_last) {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             loop = trace.region("for", RegionRole::loop, 11),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  const std::uint64_t begin = start + 5 * ms, end = begin + std::max(work_of_others, work_of_last);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    const std::uint64_t work = thread == 3 ? work_of_last : work_of_others;
    trace.team_begin(thread, begin, parallel);
    trace.enter(thread, begin, loop);
    trace.leave(thread, begin + work, loop);
    trace.enter(thread, begin + work, barrier);
    trace.leave(thread, end, barrier);
    trace.team_end(thread, end, parallel);
  }
  trace.simple(0, end + 5 * ms, EventType::program_end);
  return trace;
}

/// Four threads come to a barrier after 10 ms of even work and leave it 20 ms later: no model of waiting explains that.
inline TraceBuilder late_leavers() {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             loop = trace.region("for", RegionRole::loop, 11),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.team_begin(thread, start, parallel);
    trace.enter(thread, start, loop);
    trace.leave(thread, start + 10 * ms, loop);
    trace.enter(thread, start + 10 * ms, barrier);
    trace.leave(thread, start + 30 * ms, barrier);
    trace.team_end(thread, start + 30 * ms, parallel);
  }
  trace.simple(0, start + 30 * ms, EventType::program_end);
  return trace;
}

/// Three work 10 ms, the last works 30 ms.
inline TraceBuilder imbalance_3_to_1() {
  return loop_on_four(10 * ms, 30 * ms);
}

/// The same work, evenly.
inline TraceBuilder even_loop() {
  return loop_on_four(15 * ms, 15 * ms);
}

/// Two threads: a chain of `chain` dependent tasks of 2 ms on the master and as many independent
/// ones of 1 ms on the other, all created at the start.
inline TraceBuilder chain_of_tasks(unsigned chain) {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             task = trace.region("task", RegionRole::task, 12),
             create = trace.region("create task", RegionRole::task_create, 12),
             mark = trace.region("task dependence", RegionRole::artificial, 12),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 2; ++thread) trace.team_begin(thread, start, parallel);
  for (unsigned i = 1; i <= chain; ++i) {
    trace.create_task(0, start, create, i, i);
    if (i > 1) trace.depend(0, start, mark, i - 1, i);
  }
  for (unsigned i = chain + 1; i <= 2 * chain; ++i) trace.create_task(0, start, create, i, i);
  for (LocationRef thread = 0; thread < 2; ++thread) trace.enter(thread, start, barrier);
  for (unsigned i = 0; i < chain; ++i) {
    trace.run_task(0, start + 2 * i * ms, start + 2 * (i + 1) * ms, task, 0, i + 1);
    trace.run_task(1, start + i * ms, start + (i + 1) * ms, task, 0, chain + i + 1);
  }
  const std::uint64_t end = start + 2 * chain * ms;
  for (LocationRef thread = 0; thread < 2; ++thread) {
    trace.leave(thread, end, barrier);
    trace.team_end(thread, end, parallel);
  }
  trace.simple(0, end, EventType::program_end);
  return trace;
}

/// Ends after 10 ms, in the midst of everything: a phase, a parallel region of two, a loop, a barrier, in it a task in
/// its taskwait, and in that another task.
inline TraceBuilder cut_in_tasks() {
  TraceBuilder trace{2};
  const auto phase = trace.region("solve", RegionRole::code, 0, Paradigm::user),
             parallel = trace.region("parallel", RegionRole::parallel),
             loop = trace.region("for", RegionRole::loop, 11),
             create = trace.region("create task", RegionRole::task_create, 12),
             task = trace.region("task", RegionRole::task, 12),
             wait = trace.region("taskwait", RegionRole::task_wait, 13),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.enter(0, start, phase);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, start + 1 * ms, parallel);
  for (const std::uint64_t number : {1u, 2u}) trace.create_task(0, start + 1 * ms, create, number, number);
  trace.enter(0, start + 1 * ms, barrier);
  trace.simple(0, start + 2 * ms, EventType::task_switch, 0, 0, 1);
  trace.enter(0, start + 2 * ms, task);
  trace.enter(0, start + 4 * ms, wait);
  trace.simple(0, start + 5 * ms, EventType::task_switch, 0, 0, 2);
  trace.enter(0, start + 5 * ms, task);
  trace.enter(1, start + 10 * ms, loop);
  return trace;
}

/// Four threads in a region of 50 ms, recording off for `off`, and the region again.
inline TraceBuilder paused_for(std::uint64_t off) {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  std::uint64_t now = start;
  for (const bool is_first : {true, false}) {
    for (LocationRef thread = 0; thread < 4; ++thread) {
      trace.team_begin(thread, now, parallel);
      trace.team_end(thread, now + 50 * ms, parallel);
      if (!is_first) continue;
      trace.simple(thread, now + 51 * ms, EventType::measurement_on_off, 0, 0);
      trace.simple(thread, now + 51 * ms + off, EventType::measurement_on_off, 0, 1);
    }
    now += 52 * ms + off;
  }
  trace.simple(0, now - off, EventType::program_end);
  return trace;
}

/// A kernel of 100 ms; the host works during its first 30 ms and waits for it in a target region for the rest;
/// a copy of 1 MB in 1 ms before and one of 2 MB in 1 ms after it.
inline TraceBuilder overlap_30_percent() {
  TraceBuilder trace{1, 1};
  const auto target = trace.region("target", RegionRole::function),
             kernel = trace.region("saxpy", RegionRole::function, 0, Paradigm::cuda),
             submit = trace.region("target submit", RegionRole::wrapper),
             copy = trace.region("target data op", RegionRole::data_transfer);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.enter(0, start, target);
  trace.enter(0, start, copy);
  trace.simple(1, start, EventType::rma_get, 0, 1'000'000, 1, 0);
  trace.simple(1, start + ms, EventType::rma_op_complete_blocking, 0, 0, 1, 0);
  trace.leave(0, start + ms, copy);
  trace.leave(0, start + ms, target);
  trace.enter(0, start + 2 * ms, submit, {{4, 77}});
  trace.leave(0, start + 2 * ms, submit);
  trace.enter(1, start + 2 * ms, kernel, {{4, 77}});
  trace.enter(0, start + 32 * ms, target);
  trace.leave(1, start + 102 * ms, kernel);
  trace.simple(1, start + 103 * ms, EventType::rma_put, 0, 2'000'000, 2, 0);
  trace.simple(1, start + 104 * ms, EventType::rma_op_complete_blocking, 0, 0, 2, 0);
  trace.leave(0, start + 104 * ms, target);
  trace.simple(0, start + 110 * ms, EventType::program_end);
  return trace;
}

/// A stream with a kernel of 10 ms, a memset of 2 ms, a wait of 20 ms, the tool's own 4 ms, and after 2 ms a copy of 1
/// MB in 1 ms with another of 2 MB of the same matching id in its second half, around which Score-P says that nothing
/// computes. The thread works all the time, 1 ms of it in a cancel directive, 2 ms during a put as SHMEM has them. The
/// real time is unknown.
inline TraceBuilder operations_of_stream() {
  TraceBuilder trace{1, 1};
  const auto cancel = trace.region("cancel", RegionRole::cancel);
  const auto on_stream = [&](const char* name, RegionRole role, unsigned from, unsigned to) {
    const RegionRef region = trace.region(name, role, 0, Paradigm::cuda);
    trace.enter(1, start + from * ms, region);
    trace.leave(1, start + to * ms, region);
  };
  trace.editable().clock.realtime = ClockProperties::unknown_realtime;
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.enter(0, start, cancel);
  trace.leave(0, start + ms, cancel);
  on_stream("saxpy", RegionRole::kernel, 2, 12);
  on_stream("memset", RegionRole::data_transfer, 12, 14);
  on_stream("stream synchronize", RegionRole::task_wait, 14, 34);
  on_stream("overhead", RegionRole::artificial, 34, 38);
  const RegionRef idle = trace.region("COMPUTE IDLE", RegionRole::artificial, 0, Paradigm::cuda);
  trace.enter(1, start + 39 * ms, idle);
  trace.simple(1, start + 40 * ms, EventType::rma_get, 0, 1'000'000, 1, 0);
  trace.simple(1, start + 40 * ms + ms / 2, EventType::rma_get, 0, 2'000'000, 1, 0);
  trace.simple(1, start + 41 * ms, EventType::rma_op_complete_blocking, 0, 0, 1, 0);
  trace.leave(1, start + 42 * ms, idle);
  trace.simple(0, start + 44 * ms, EventType::rma_put, 0, 64, 1);
  trace.simple(0, start + 46 * ms, EventType::rma_op_complete_blocking, 0, 0, 1);
  trace.simple(0, start + 50 * ms, EventType::program_end);
  return trace;
}

/// Two threads, one lock: the second wants it after 1 ms and gets it after 10; both hold it for 10.
inline TraceBuilder contended_lock() {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             critical = trace.region("critical", RegionRole::critical),
             inside = trace.region("critical sblock", RegionRole::critical_sblock);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 2; ++thread) {
    trace.team_begin(thread, start, parallel);
    const std::uint64_t wanted = start + thread * ms, got = start + thread * 10 * ms, free = got + 10 * ms;
    trace.enter(thread, wanted, critical);
    trace.simple(thread, got, EventType::acquire_lock, 0, 7, thread + 1);
    trace.enter(thread, got, inside);
    trace.leave(thread, free, inside);
    trace.simple(thread, free, EventType::release_lock, 0, 7, thread + 1);
    trace.leave(thread, free, critical);
    trace.team_end(thread, start + 20 * ms, parallel);
  }
  trace.simple(0, start + 20 * ms, EventType::program_end);
  return trace;
}

/// A thread of 100 ms, beside libomp's own team for `target nowait`, which runs a task of 20 ms; its region is 1.
inline TraceBuilder helpers_team() {
  TraceBuilder trace{3};
  Definitions& d = trace.editable();
  d.locations[1].name = "Initial thread";
  const auto task = trace.region("task", RegionRole::task, 12), own = trace.region("parallel", RegionRole::parallel);
  d.regions[own].name = d.regions[own].canonical = "!$omp parallel";
  d.regions[own].source_file.clear();
  d.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {1, 2}});
  d.comms.push_back({"Thread team 1", static_cast<std::uint32_t>(d.groups.size() - 1), undefined_ref});
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.simple(1, start, EventType::thread_fork, 0, 2);
  for (const LocationRef thread : {1u, 2u}) trace.team_begin(thread, start, own, 1);
  trace.run_task(2, start + 10 * ms, start + 30 * ms, task, 0, 1);
  for (const LocationRef thread : {1u, 2u}) trace.team_end(thread, start + 100 * ms, own, 1);
  trace.simple(1, start + 100 * ms, EventType::thread_join);
  trace.simple(0, start + 100 * ms, EventType::program_end);
  return trace;
}

/// Two threads; the phases solve (10 to 50 ms, with a barrier and the other thread's loop in it, and assemble from 12
/// to 18 ms) and io (60 to 80 ms, with a barrier); a barrier at 90 ms in none. A counter between -2 and 3.
inline TraceBuilder named_phases() {
  TraceBuilder trace{2};
  const auto phase = [&](const char* name) { return trace.region(name, RegionRole::code, 0, Paradigm::user); };
  const auto solve = phase("solve"), assemble = phase("assemble"), io = phase("io");
  const auto barrier = trace.region("barrier", RegionRole::barrier), loop = trace.region("for", RegionRole::loop, 11);
  const auto within = [&](LocationRef thread, unsigned from, unsigned to, RegionRef region, auto&& body) {
    trace.enter(thread, start + from * ms, region);
    body();
    trace.leave(thread, start + to * ms, region);
  };
  const auto nothing = [] {};
  trace.editable().metrics.push_back({"balance", "NVTX", "#", undefined_ref, undefined_ref, ValueType::int64});
  trace.simple(0, start, EventType::program_begin, 0, 1);
  within(0, 10, 50, solve, [&] {
    within(0, 12, 18, assemble, nothing);
    within(0, 20, 30, barrier, nothing);
  });
  for (const int value : {-2, 3})
    trace.simple(0, start + 55 * ms, EventType::metric_uint, 0, static_cast<std::uint64_t>(std::int64_t{value}), 0,
                 static_cast<std::uint16_t>(ValueType::int64));
  within(0, 60, 80, io, [&] { within(0, 65, 70, barrier, nothing); });
  within(0, 90, 95, barrier, nothing);
  trace.simple(0, start + 100 * ms, EventType::program_end);
  within(1, 15, 45, loop, nothing);
  return trace;
}

}  // namespace tracer::test
