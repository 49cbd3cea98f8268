// SPDX-License-Identifier: BSD-3-Clause
// make_trace KIND DIRECTORY [NUMBER [THREADS [SAMPLES]]]: writes one of the known traces, or a large one, as an
// archive.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>

#include "formats/otf2/write/sink.hpp"
#include "formats/samples/samples.hpp"
#include "tests/report/known_traces.hpp"
#include "tests/report/mpi_traces.hpp"
#include "tests/report/sampled_trace.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

/// `threads` threads in loops and barriers, and `streams` of kernels: location by location, so that memory does not
/// grow. About `events` events.
void write_large(EventSink& sink, std::uint64_t events, unsigned threads, unsigned streams) {
  TraceBuilder shape{threads, streams};
  const auto parallel = shape.region("parallel", RegionRole::parallel),
             loop = shape.region("for", RegionRole::loop, 11), other = shape.region("for", RegionRole::loop, 21),
             barrier = shape.region("implicit barrier", RegionRole::implicit_barrier, 11),
             kernel = shape.region("kernel", RegionRole::function, 0, Paradigm::cuda);
  const std::uint64_t rounds = events / (threads * 12);
  constexpr std::uint64_t round = 20 * us;
  for (LocationRef thread = 0; thread < threads; ++thread) {
    const auto writer = sink.open(thread);
    std::vector<Event> batch;
    const auto add = [&](std::uint64_t time, EventType type, std::uint32_t ref = 0, std::uint64_t a = 0) {
      batch.push_back({.time = time, .type = type, .attributes = 0, .sub = 0, .ref = ref, .a = a, .b = 0});
    };
    if (thread == 0) add(start, EventType::program_begin, 0, 1);
    for (std::uint64_t i = 0; i < rounds; ++i) {
      const std::uint64_t begin = start + i * round, end = begin + 18 * us;
      if (thread == 0) add(begin, EventType::thread_fork, 0, threads);
      add(begin, EventType::team_begin, 0);
      add(begin, EventType::enter, parallel);
      const std::uint64_t work = (6 + (thread * 7 + i * 13) % 9) * us;
      add(begin + 500, EventType::enter, i % 3 == 0 ? other : loop);
      add(begin + work, EventType::leave, i % 3 == 0 ? other : loop);
      for (unsigned k = 0; k < 3; ++k) {
        add(begin + work + k * 100, EventType::enter, barrier);
        add(k == 2 ? end : begin + work + k * 100 + 50, EventType::leave, barrier);
      }
      add(end, EventType::leave, parallel);
      add(end, EventType::team_end, 0);
      if (thread == 0) add(end, EventType::thread_join);
      if (batch.size() > 4096) {
        writer->write(batch, {});
        batch.clear();
      }
    }
    if (thread == 0) add(start + rounds * round, EventType::program_end);
    writer->write(batch, {});
    writer->close();
  }
  for (LocationRef stream = threads; stream < threads + streams; ++stream) {
    const auto writer = sink.open(stream);
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(rounds, 5000); ++i) {
      const std::uint64_t begin = start + i * round + stream * 100;
      const Event pair[] = {{begin, EventType::enter, 0, 0, kernel, 0, 0},
                            {begin + 9 * us, EventType::leave, 0, 0, kernel, 0, 0}};
      writer->write(pair, {});
    }
    writer->close();
  }
  shape.editable().clock.offset = start;
  shape.editable().clock.length = rounds * round;
  name_threads(shape.editable());
  sink.finish(shape.definitions());
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fprintf(stderr,
                 "usage: make_trace "
                 "imbalance|even|killed|cut|paused|chain|overlap|operations|lock|phases|late-leavers|large|wide|ring|"
                 "sampled|many-samples DIRECTORY [NUMBER [THREADS [SAMPLES]]]\n");
    return 2;
  }
  const std::uint64_t number = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 10;
  Otf2Options options;
  options.attribute_types.assign(5, ValueType::uint64);
  options.metric_has_recorder = {false};
  const std::string kind = argv[1];
  if (kind == "operations") options.level = Otf2Level::v3_1;  // for its roles
  const auto sink = make_otf2_sink(argv[2], options);
  const std::filesystem::path beside = std::filesystem::path{argv[2]} / samples::file_name;
  if (kind == "large") {
    const unsigned threads = argc > 4 ? static_cast<unsigned>(std::strtoul(argv[4], nullptr, 10)) : 8;
    const std::uint64_t events = argc > 3 ? number : 1'000'000,
                        samples = argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 0;
    write_large(*sink, events, threads, 2);
    if (samples != 0) samples::write(many_samples(samples, events / (threads * 12) * 20 * us), beside);
    return 0;
  }
  if (kind == "wide") {  // NUMBER threads, forty regions
    write_large(*sink, number * 12 * 40, static_cast<unsigned>(number), 0);
    return 0;
  }
  if (kind == "many-samples") {
    write_large(*sink, 8 * 12 * 1000, 8, 0);
    samples::write(many_samples(number, 1000 * 20 * us), beside);
    return 0;
  }
  if (kind == "sampled") {
    SampledTrace made = sampled_imbalance();
    made.trace.write(*sink);
    samples::write(made.samples, beside);
    return 0;
  }
  TraceBuilder trace = kind == "imbalance" || kind == "killed" ? imbalance_3_to_1()
                       : kind == "even"                        ? even_loop()
                       : kind == "cut"                         ? cut_in_tasks()
                       : kind == "paused"                      ? paused_for(200 * ms)
                       : kind == "chain"                       ? chain_of_tasks(static_cast<unsigned>(number))
                       : kind == "overlap"                     ? overlap_30_percent()
                       : kind == "operations"                  ? operations_of_stream()
                       : kind == "ring"                        ? ring(static_cast<unsigned>(number), 4, 10).trace
                       : kind == "phases"                      ? named_phases()
                       : kind == "late-leavers"                ? late_leavers()
                                                               : contended_lock();
  if (kind == "killed")
    for (const auto& [name, value] : {std::pair{"ENDED", "signal"}, std::pair{"SIGNAL", "9"}})
      trace.editable().properties.push_back({std::string{"TRACER::RUN::"} + name, value});
  trace.write(*sink);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "make_trace: %s\n", error.what());
  return 1;
}
