// SPDX-License-Identifier: BSD-3-Clause
// Visits an archive's events and its samples in order of time, and tracks the calling context of each.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "formats/otf2/read/context_tree.hpp"
#include "formats/otf2/read/reader.hpp"
#include "formats/otf2/read/task_contexts.hpp"
#include "tracer/samples.hpp"

namespace tracer::otf2 {

class SampledWalk {
 public:
  /// All must stay.
  SampledWalk(const Trace& trace, const samples::SampleSet& set, ContextTree& tree);
  virtual ~SampledWalk() = default;
  SampledWalk(const SampledWalk&) = delete;
  SampledWalk& operator=(const SampledWalk&) = delete;

  /// All of the trace. Throws tracer::Error where regions are not in balance, or not defined.
  void run();

 protected:
  /// `location`: its index among the definitions. `distance`: OTF2's unwind distance.
  virtual void enter(std::size_t, const EventView&, std::uint32_t /*context*/, std::uint32_t /*distance*/) {}
  virtual void leave(std::size_t, const EventView&, std::uint32_t /*context*/) {}
  virtual void other(std::size_t, const EventView&) {}
  /// `around`: what is open. The sample's own context, which that is on the way to.
  virtual std::uint32_t context_of(std::size_t sample, std::uint32_t around) = 0;
  virtual void sample(std::size_t, std::size_t /*sample*/, std::uint32_t /*context*/, std::uint32_t /*distance*/) {}
  /// Of a region that is entered where nothing is open.
  virtual std::uint32_t parent_of(std::uint32_t /*region*/) { return ContextTree::root; }

  bool is_parallel(std::uint32_t region) const;
  bool is_task(std::uint32_t region) const;

  const Trace& trace_;
  const TraceDefinitions& definitions_;
  const samples::SampleSet& set_;
  ContextTree& tree_;

 private:
  struct Cursor {
    std::size_t next = 0, end = 0;  ///< of the set's samples
    std::uint64_t last = 0;         ///< time of the location's last event or sample
    bool has_begun = false, records = true;
  };
  void event(const EventView& event);
  void samples_before(std::size_t location, std::uint64_t time);
  void enter(std::size_t location, const EventView& event);
  void leave(std::size_t location, const EventView& event);
  unsigned role(std::uint32_t region) const;

  TaskContexts tasks_;
  std::vector<Cursor> cursors_;
  std::unordered_map<std::uint32_t, std::uint32_t> encountered_;  ///< of parallel regions: in which context last
};

/// The operating system's number of a location's thread; 0 unknown.
std::uint32_t thread_of(const TraceDefinitions& definitions, const LocationDef& location);

}  // namespace tracer::otf2
