// SPDX-License-Identifier: BSD-3-Clause
// Builds traces whose numbers are known, as the translator would make them, in memory or as an archive.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "tracer/event_sink.hpp"
#include "tracer/event_source.hpp"

namespace tracer::test {

inline constexpr std::uint64_t us = 1'000, ms = 1'000'000;

class TraceBuilder final : public EventSource {
 public:
  struct Recorded {
    Event event;
    std::vector<EventAttribute> attributes;
  };

  /// `threads` host threads and `streams` streams of one device. Attributes: 0 TASK_ID,
  /// 1 PARENT_TASK_ID, 2 SOURCE_TASK_ID, 3 SINK_TASK_ID, 4 HOST_OP_ID.
  explicit TraceBuilder(unsigned threads, unsigned streams = 0) {
    definitions_.strings = {"", "builder"};
    definitions_.nodes.push_back({"Linux", "machine", undefined_ref, NodeDomain::machine, {}});
    definitions_.nodes.push_back({"host", "node", 0, NodeDomain::shared_memory, {}});
    definitions_.groups_of_locations.push_back({"Process", LocationGroupKind::process, 1, undefined_ref, {}});
    for (const char* name : {"TASK_ID", "PARENT_TASK_ID", "SOURCE_TASK_ID", "SINK_TASK_ID", "HOST_OP_ID"}) {
      definitions_.attributes.push_back({name, "", ValueType::uint64});
    }
    Group all{"OpenMP", GroupKind::comm_locations, Paradigm::openmp, {}};
    Group team{"", GroupKind::comm_group, Paradigm::openmp, {}};
    for (unsigned i = 0; i < threads; ++i) {
      definitions_.locations.push_back(
          {i == 0 ? "Master thread" : "OMP thread " + std::to_string(i), LocationKind::cpu_thread, 0, {}});
      all.members.push_back(i);
      team.members.push_back(i);
    }
    definitions_.groups = {all, team};
    definitions_.comms.push_back({"Thread team 0", 1, undefined_ref});
    definitions_.paradigms.push_back(
        {Paradigm::openmp, "OpenMP", ParadigmClass::thread_fork_join, "Thread team ${id}", false});
    if (streams != 0) add_device(threads, streams);
    events_.resize(threads + streams);
  }

  RegionRef region(std::string construct, RegionRole role, unsigned line = 10, Paradigm paradigm = Paradigm::openmp) {
    const bool directive = paradigm == Paradigm::openmp;
    const std::string name = directive ? "!$omp " + construct + " @example.c:" + std::to_string(line) : construct;
    definitions_.regions.push_back({name, name, "", role, paradigm, directive ? "/src/example.c" : "", line, line});
    return static_cast<RegionRef>(definitions_.regions.size() - 1);
  }

  void add(LocationRef location, Event event, std::vector<EventAttribute> attributes = {}) {
    event.attributes = static_cast<std::uint8_t>(attributes.size());
    events_[location].push_back({event, std::move(attributes)});
  }
  void enter(LocationRef location, std::uint64_t time, RegionRef ref, std::vector<EventAttribute> attributes = {}) {
    add(location, {.time = time, .type = EventType::enter, .attributes = 0, .sub = 0, .ref = ref, .a = 0, .b = 0},
        std::move(attributes));
  }
  void leave(LocationRef location, std::uint64_t time, RegionRef ref) { simple(location, time, EventType::leave, ref); }
  void simple(LocationRef location, std::uint64_t time, EventType type, std::uint32_t ref = 0, std::uint64_t a = 0,
              std::uint64_t b = 0, std::uint16_t sub = 0) {
    add(location, {.time = time, .type = type, .attributes = 0, .sub = sub, .ref = ref, .a = a, .b = b});
  }
  void team_begin(LocationRef location, std::uint64_t time, RegionRef parallel, CommRef comm = 0) {
    if (location == 0) simple(0, time, EventType::thread_fork, 0, threads());
    simple(location, time, EventType::team_begin, comm);
    enter(location, time, parallel);
  }
  void team_end(LocationRef location, std::uint64_t time, RegionRef parallel, CommRef comm = 0) {
    leave(location, time, parallel);
    simple(location, time, EventType::team_end, comm);
    if (location == 0) simple(0, time, EventType::thread_join);
  }
  /// `flags`: its TASK_FLAGS, if not 0.
  void create_task(LocationRef location, std::uint64_t time, RegionRef create, std::uint64_t generation,
                   std::uint64_t id, std::uint64_t flags = 0) {
    std::vector<EventAttribute> attributes{{0, id}};
    if (flags != 0) attributes.push_back({task_flags(), flags});
    enter(location, time, create);
    add(location,
        {.time = time,
         .type = EventType::task_create,
         .attributes = 0,
         .sub = 0,
         .ref = 0,
         .a = location,
         .b = generation},
        std::move(attributes));
    leave(location, time, create);
  }
  /// A whole task that `creator` made, on `location`.
  void run_task(LocationRef location, std::uint64_t from, std::uint64_t to, RegionRef task, std::uint64_t creator,
                std::uint64_t generation) {
    simple(location, from, EventType::task_switch, 0, creator, generation);
    enter(location, from, task);
    leave(location, to, task);
    simple(location, to, EventType::task_complete, 0, creator, generation);
    simple(location, to, EventType::task_switch, 0, location, 0);
  }
  void depend(LocationRef location, std::uint64_t time, RegionRef mark, std::uint64_t source, std::uint64_t sink) {
    enter(location, time, mark, {{2, source}, {3, sink}});
    leave(location, time, mark);
  }

  Definitions& editable() { return definitions_; }
  const Definitions& definitions() const override { return definitions_; }
  std::uint64_t number_of_events() const override {
    std::uint64_t number = 0;
    for (const auto& events : events_) number += events.size();
    return number;
  }
  unsigned threads() const { return static_cast<unsigned>(definitions_.groups[0].members.size()); }

  void read(EventVisitor& visitor) override {
    std::vector<std::size_t> at(events_.size());
    while (true) {
      std::size_t best = events_.size();
      for (std::size_t i = 0; i < events_.size(); ++i) {
        if (at[i] < events_[i].size() &&
            (best == events_.size() || events_[i][at[i]].event.time < events_[best][at[best]].event.time))
          best = i;
      }
      if (best == events_.size()) return;
      const Recorded& recorded = events_[best][at[best]++];
      visitor.event(static_cast<LocationRef>(best), recorded.event, recorded.attributes);
    }
  }

  /// Clock properties, as archives have them.
  TraceBuilder& set_clock() {
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    for (const auto& events : events_) {
      if (events.empty()) continue;
      first = std::min<std::uint64_t>(first, events.front().event.time);
      last = std::max<std::uint64_t>(last, events.back().event.time);
    }
    definitions_.clock.offset = std::min(first, last);
    definitions_.clock.length = last - definitions_.clock.offset;
    return *this;
  }

  /// Into an archive (formats/otf2).
  void write(EventSink& sink) {
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    for (LocationRef i = 0; i < events_.size(); ++i) {
      const auto writer = sink.open(i);
      for (const Recorded& recorded : events_[i]) {
        first = std::min(first, recorded.event.time);
        last = std::max(last, recorded.event.time);
        writer->write({&recorded.event, 1}, recorded.attributes);
      }
      writer->close();
    }
    definitions_.clock.offset = first;
    definitions_.clock.length = last - first;
    sink.finish(definitions_);
  }

 private:
  std::uint32_t task_flags() {
    auto& known = definitions_.attributes;
    const auto is_it = [](const auto& attribute) { return attribute.name == "TASK_FLAGS"; };
    const auto found = std::find_if(known.begin(), known.end(), is_it);
    const auto at = static_cast<std::uint32_t>(found - known.begin());
    if (found == known.end()) known.push_back({"TASK_FLAGS", "", ValueType::uint64});
    return at;
  }
  void add_device(unsigned threads, unsigned streams) {
    definitions_.nodes.push_back({"device 0", "OpenMP Device", 1, NodeDomain::accelerator_device, {}});
    definitions_.groups_of_locations.push_back({"Device 0", LocationGroupKind::accelerator, 2, 0, {}});
    definitions_.paradigms.push_back({Paradigm::cuda, "CUDA", ParadigmClass::accelerator, "", true});
    Group all{"CUDA", GroupKind::comm_locations, Paradigm::cuda, {0}};
    for (unsigned i = 0; i < streams; ++i) {
      definitions_.locations.push_back({"CUDA[0:" + std::to_string(i) + "]", LocationKind::accelerator_stream, 1, {}});
      all.members.push_back(threads + i);
    }
    Group members{"", GroupKind::comm_group, Paradigm::cuda, {}};
    for (unsigned i = 0; i <= streams; ++i) members.members.push_back(i);
    definitions_.groups.push_back(all);
    definitions_.groups.push_back(members);
    definitions_.comms.push_back({"CUDA", 3, undefined_ref});
    definitions_.windows.push_back({"CUDA", 1});
  }

  Definitions definitions_;
  std::vector<std::deque<Recorded>> events_;
};

}  // namespace tracer::test
