// SPDX-License-Identifier: BSD-3-Clause
// `tracer attach`: follows a running OpenMP process from outside and writes an archive.

#include <sys/mman.h>
#include <sys/wait.h>

#include <cinttypes>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "tracer/base/clock.hpp"
#include "tracer/cli/live/ompd_archive.hpp"
#include "tracer/cli/live/plugin_options.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/ompd/attach_recorder.hpp"
#include "tracer/ompd/guard.hpp"
#include "tracer/ompd/runtime.hpp"
#include "tracer/ompd/target/refusal.hpp"
#include "tracer/property_names.hpp"

namespace tracer::cli {
namespace {

struct Options {
  std::uint64_t process = 0;
  std::string output;
  ompd::PluginChoice plugin;
  double seconds = 0;
  bool no_archive = false;
};

/// Lies in memory that the watching process sees too.
ompd::TargetPatches* shared_repairs() {
  void* memory = mmap(nullptr, sizeof(ompd::TargetPatches), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error("no memory");
  return new (memory) ompd::TargetPatches;
}

void print_counts(const ompd::AttachCounts& counts, double seconds) {
  const auto count = [&](ompd::Point point) { return counts.seen[static_cast<std::size_t>(point)]; };
  using ompd::Point;
  print_formatted("followed for %.2f s: parallel %" PRIu64 " begun, %" PRIu64 " ended; task %" PRIu64 " begun, %" PRIu64
                  " ended; thread %" PRIu64 " begun, %" PRIu64 " ended\n",
                  seconds, count(Point::parallel_begin), count(Point::parallel_end), count(Point::task_begin),
                  count(Point::task_end), count(Point::thread_begin), count(Point::thread_end));
  if (counts.unmatched_ends != 0)
    print_formatted("%" PRIu64 " of the ends belong to what had begun before\n", counts.unmatched_ends);
  if (counts.serialized_ends != 0)
    print_formatted("%" PRIu64 " regions of one thread: libomp reports the end only, they are not in the trace\n",
                    counts.serialized_ends);
}

void print_end(ompd::FollowEnd end, int status) {
  if (end == ompd::FollowEnd::executed) print_formatted("the process started another program: left alone\n");
  if (end == ompd::FollowEnd::full)
    print_formatted("the limit of records is reached: the process continues, and is no longer followed\n");
  if (end != ompd::FollowEnd::exited) return;
  if (WIFSIGNALED(status))
    print_formatted("the process was killed by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
  else
    print_formatted("the process ended with status %d\n", WEXITSTATUS(status));
}

std::map<std::string, std::string> facts_of_end(ompd::FollowEnd end, int status) {
  const std::string ended = properties::run_fact(properties::run_ended);
  if (end == ompd::FollowEnd::executed) return {{ended, "without telling"}};
  if (end != ompd::FollowEnd::exited) return {{ended, "running"}};
  if (WIFSIGNALED(status))
    return {{ended, "signal"}, {properties::run_fact(properties::run_signal), std::to_string(WTERMSIG(status))}};
  return {{ended, "return"}, {properties::run_fact(properties::run_exit_status), std::to_string(WEXITSTATUS(status))}};
}

int follow(const Options& options, ompd::TargetPatches& repairs) {
  unsetenv("DEBUGINFOD_URLS");
  ompd::LiveTarget target{options.process, ompd::follow_options()};
  ompd::RuntimeAccess session{target, options.plugin};
  const ompd::Snapshot open = ompd::collect(session, nullptr);
  const std::uint64_t begin = read_monotonic();
  ompd::RecordBuilder records{open, ompd::modules_of(session.modules(), target), begin};
  records.enter_open(open, false, begin);
  std::string why;
  const auto stacks = ompd::CallStacks::of_process(options.process, why);
  const ompd::MappedModule& runtime = session.runtime();
  ompd::AttachRecorder recorder{session, records, [&](std::uint64_t thread) {
                                  const std::uint64_t call =
                                      stacks == nullptr ? 0 : stacks->first_outside(thread, runtime.begin, runtime.end);
                                  return call == 0 ? 0 : call + 1;  // the return address
                                }};
  ompd::FollowEnd end{};
  int status = 0;
  {
    ompd::Follower follower{target,
                            session,
                            repairs,
                            {[&](const ompd::Hit& hit) {
                               recorder.hit(hit);
                               return recorder.wants_look();
                             },
                             [&](std::uint64_t thread, std::uint64_t time) { recorder.look(thread, time); },
                             [&](std::uint64_t thread) { recorder.thread_born(thread); },
                             [&](std::uint64_t thread, std::uint64_t time) { recorder.thread_gone(thread, time); },
                             [&] { return records.dropped() != 0; }}};
    print_note("following process " + std::to_string(options.process) + " (" + open.program + ")" +
               (options.seconds > 0 ? "" : "; Ctrl-C ends recording, the process continues"));
    end = follower.run(std::chrono::nanoseconds{static_cast<std::int64_t>(options.seconds * 1e9)});
    status = follower.exit_status();
  }
  const std::uint64_t now = read_monotonic();
  recorder.finish(now);
  print_counts(recorder.counts(), static_cast<double>(now - begin) / 1e9);
  print_end(end, status);
  if (records.dropped() != 0) print_formatted("%" PRIu64 " records beyond the limit are missing\n", records.dropped());
  if (!options.no_archive) write_ompd_archive(records, options.output, "attach", facts_of_end(end, status));
  return ok;
}

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  app.add_option("process", options->process, "Process id")->required()->type_name("PID");
  app.add_option("-t,--time", options->seconds, "Seconds to follow (default: until interrupted)")
      ->type_name("S")
      ->check(non_negative_number());
  app.add_option("-o,--output", options->output, "Directory of the archive")->type_name("DIR");
  app.add_flag("--no-archive", options->no_archive, "Count only");
  add_plugin_options(app, options->plugin);
  app.footer("If the process cannot be followed, the exit status is one of 'tracer snapshot''s.");
  action = [options] {
    if (!options->no_archive) require_place_for_ompd_archive(options->output);
    ompd::TargetPatches* repairs = shared_repairs();
    try {
      return ompd::guarded(
          std::chrono::milliseconds{0}, SIGTERM, [&] { return follow(*options, *repairs); },
          [&] { ompd::repair_after_death(*repairs); });
    } catch (const ompd::CannotLook& error) {
      print_note(error.what());
      return static_cast<int>(error.why());
    }
  };
}

}  // namespace

const Command attach_command{"attach", "Trace a running OpenMP process from outside, through OMPD", add};

}  // namespace tracer::cli
