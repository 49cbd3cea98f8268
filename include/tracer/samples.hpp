// SPDX-License-Identifier: BSD-3-Clause
// Samples of call stacks, and the intervals in which threads did not run, as delivered to readers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/property_names.hpp"
#include "tracer/time.hpp"

namespace tracer::samples {

/// Properties of a location that identify its thread's samples. The archive of a job numbers threads itself.
inline constexpr std::string_view thread_property = properties::thread_id,
                                  thread_of_job_property = properties::sampled_as;

/// The kind of a frame's code: readers show user code only.
enum class Origin : std::uint32_t {
  user = 0,
  runtime = 1,  ///< the OpenMP runtime, or libraries that only start threads and programs
  tool = 2,     ///< libtracer.so and its front ends
  kernel = 3,   ///< the operating system, on behalf of the calling frame: system calls, page faults
};

struct Frame {
  std::uint32_t function = 0;  ///< string
  std::uint32_t file = 0;      ///< string
  std::uint32_t module = 0;    ///< string: path of the executable or library
  std::uint32_t line = 0;      ///< 0 unknown
  Origin origin = Origin::user;
};

/// The source of a sample.
enum class Source : std::uint8_t {
  kernel = 0,  ///< the kernel, from outside: without a query to the OpenMP runtime
  signal = 1,  ///< a signal handler on the thread itself, which queried the runtime
};

inline constexpr std::uint16_t state_not_asked = 0xffff;

struct Sample {
  Nanoseconds time = 0;
  std::uint64_t wait_id = 0;              ///< the thread's wait id from the runtime, an ompt_wait_id_t; 0 none
  std::uint32_t thread = 0;               ///< the location's TRACER::SAMPLED_AS, else its TRACER::THREAD_ID
  std::uint32_t stack = 0;                ///< index into stacks
  std::uint32_t processor = 0;            ///< 0xffffffff unknown
  std::uint16_t state = state_not_asked;  ///< the runtime's answer: an ompt_state_t
  Source source = Source::kernel;
  std::uint8_t reserved = 0;
};

/// An interval in which a thread did not run.
struct Pause {
  Nanoseconds begin = 0, end = 0;
  std::uint32_t thread = 0;
  std::uint32_t preempted = 0;  ///< 1: runnable; 0: asleep
};

/// A counter of each thread, read with each of its samples.
struct Counter {
  std::uint32_t name = 0;         ///< string, perf's name: "instructions"
  std::uint32_t nanoseconds = 0;  ///< 1: the unit is ns; 0: a number
};

/// An unknown value of a counter.
inline constexpr std::uint64_t not_counted = ~std::uint64_t{0};

struct SampleSet {
  std::uint64_t period = 0;  ///< ns of processor time between two samples of a thread; 0: no samples
  std::uint64_t lost = 0;    ///< samples that the kernel dropped
  std::vector<std::string> strings{""};
  std::vector<Frame> frames;
  std::vector<std::vector<std::uint32_t>> stacks;  ///< frames, outermost first
  std::vector<Sample> samples;                     ///< of each thread in order of time
  std::vector<Pause> pauses;                       ///< likewise
  std::vector<Counter> counters;
  std::vector<std::uint64_t> values;  ///< of each counter for each sample: the counter's total on the thread
};

/// The part of `values`, sorted by thread, that is of one thread; nothing where they are not sorted.
template <class T>
std::pair<std::size_t, std::size_t> range_of(const std::vector<T>& values, std::uint32_t thread) {
  const auto less = [](const T& value, std::uint32_t wanted) { return value.thread < wanted; };
  const auto more = [](std::uint32_t wanted, const T& value) { return wanted < value.thread; };
  const auto first =
      static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), thread, less) - values.begin());
  const auto last =
      static_cast<std::size_t>(std::upper_bound(values.begin(), values.end(), thread, more) - values.begin());
  return {first, std::max(first, last)};
}

/// A run has 8 counters at most, and a stack 256 addresses, each of them some functions that were put into one another.
/// What has more than this is damaged: each sample has room for each counter, and each stack is read in each construct.
inline constexpr std::size_t most_counters_of_set = 64, most_frames_of_stack = 16384;

/// So many nodes may the tree of a set's call paths have, in which a stack is once for each construct that it was seen
/// in. What samples are in a program does not come near: what has more is damaged.
inline std::uint64_t most_path_nodes(const SampleSet& set) {
  std::uint64_t frames = 0;
  for (const auto& stack : set.stacks) frames += stack.size();
  return (std::uint64_t{1} << 20) + 4 * frames + 64 * std::uint64_t{set.samples.size()};
}
inline constexpr std::string_view too_many_paths =
    "the stacks of the samples become more call paths than such samples have: samples.bin is damaged";

}  // namespace tracer::samples
