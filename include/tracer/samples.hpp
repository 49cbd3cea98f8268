// SPDX-License-Identifier: BSD-3-Clause
// Samples of call stacks, and the times in which threads did not run, as readers get them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/property_names.hpp"
#include "tracer/time.hpp"

namespace tracer::samples {

/// Properties of a location: which thread's samples are its own. The archive of a job gives threads numbers of its own.
inline constexpr std::string_view thread_property = properties::thread_id,
                                  thread_of_job_property = properties::sampled_as;

/// What kind of code a frame is in: readers show the user's and leave the rest away.
enum class Origin : std::uint32_t {
  user = 0,
  runtime = 1,  ///< the OpenMP runtime, or libraries that only start threads and programs
  tool = 2,     ///< libtracer.so and its front ends
  kernel = 3,   ///< the operating system's, on behalf of the frame around it: system calls, page faults
};

struct Frame {
  std::uint32_t function = 0;  ///< string
  std::uint32_t file = 0;      ///< string
  std::uint32_t module = 0;    ///< string: path of the executable or library
  std::uint32_t line = 0;      ///< 0 unknown
  Origin origin = Origin::user;
};

/// Who took a sample.
enum class Source : std::uint8_t {
  kernel = 0,  ///< the kernel, from outside: the OpenMP runtime was not asked
  signal = 1,  ///< a signal's handler on the thread itself, which asked the runtime
};

inline constexpr std::uint16_t state_not_asked = 0xffff;

struct Sample {
  Nanoseconds time = 0;
  std::uint64_t wait_id = 0;              ///< what the runtime said the thread waited for: an ompt_wait_id_t; 0 nothing
  std::uint32_t thread = 0;               ///< the location's TRACER::SAMPLED_AS, else its TRACER::THREAD_ID
  std::uint32_t stack = 0;                ///< index into stacks
  std::uint32_t processor = 0;            ///< 0xffffffff unknown
  std::uint16_t state = state_not_asked;  ///< the runtime's answer: an ompt_state_t
  Source source = Source::kernel;
  std::uint8_t reserved = 0;
};

/// A time in which a thread did not run.
struct Pause {
  Nanoseconds begin = 0, end = 0;
  std::uint32_t thread = 0;
  std::uint32_t preempted = 0;  ///< 1: it would have run; 0: it slept
};

/// What was counted of each thread, and read with each of its samples.
struct Counter {
  std::uint32_t name = 0;         ///< string, as perf calls it: "instructions"
  std::uint32_t nanoseconds = 0;  ///< 1: it counts those; 0: a number
};

/// The value of a counter of which none is known.
inline constexpr std::uint64_t not_counted = ~std::uint64_t{0};

struct SampleSet {
  std::uint64_t period = 0;  ///< ns of processor time between two samples of a thread; 0: there are none
  std::uint64_t lost = 0;    ///< entries that the kernel dropped
  std::vector<std::string> strings{""};
  std::vector<Frame> frames;
  std::vector<std::vector<std::uint32_t>> stacks;  ///< frames, outermost first
  std::vector<Sample> samples;                     ///< of each thread in order of time
  std::vector<Pause> pauses;                       ///< likewise
  std::vector<Counter> counters;
  std::vector<std::uint64_t> values;  ///< of each sample those of each counter: what it had come to on the thread
};

}  // namespace tracer::samples
