// SPDX-License-Identifier: BSD-3-Clause
// `tracer what-if`: how long the run would take on other numbers of threads, balanced, without a lock.

#include <algorithm>
#include <memory>
#include <string>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/base/config.hpp"
#include "tracer/base/formatted.hpp"
#include "tracer/base/text.hpp"
#include "tracer/base/units.hpp"
#include "tracer/cli/archives/archive.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/what_if/what_if.hpp"

namespace tracer::cli {
namespace {

struct Options {
  std::string archive;
  std::vector<std::uint32_t> threads;
  std::string balanced, without_lock;
  std::int64_t task_overhead = -1;  ///< -1: as recorded
  bool assumes_nothing() const {
    return threads.empty() && balanced.empty() && without_lock.empty() && task_overhead < 0;
  }
};

std::string describe(const report::Scenario& scenario) {
  std::string text = scenario.threads != 0 ? format_counted(scenario.threads, "thread") : "threads as recorded";
  if (!scenario.balanced.empty()) text += ", " + scenario.balanced + " balanced";
  if (!scenario.without_lock.empty()) text += ", nobody waits for " + scenario.without_lock;
  if (scenario.task_overhead >= 0)
    text += ", " + std::to_string(scenario.task_overhead) + " ns beside each task's work";
  return text;
}

std::string why_not_changed(const Options& options, const report::Prediction& prediction,
                            const report::WhatIf& result) {
  const bool is_lock = prediction.balanced_matched;
  if (prediction.named.empty())
    return "nothing in the trace is called " + (is_lock ? options.without_lock : options.balanced) + ".";
  if (is_lock) return "no lock is acquired in " + prediction.named + ".";
  return prediction.named + " cannot be balanced: it is no loop, sections or workshare construct of the trace." +
         (result.lacks.lacks(record_work) ? " Loops are not recorded (TRACER_RECORD)."
          : result.unseen > 0             ? " libgomp does not report static loops (docs/gcc.md)."
                                          : "");
}

int run(const Options& options) {
  if (options.assumes_nothing())
    throw UsageError{"name what to change: --threads, --balanced, --without-lock or --task-overhead."};
  constexpr std::uint32_t most = 65536;
  for (const std::uint32_t threads : options.threads)
    if (threads == 0 || threads > most) throw UsageError{"--threads takes numbers from 1 to 65536."};
  std::vector<report::Scenario> scenarios;
  for (const std::uint32_t threads : options.threads.empty() ? std::vector<std::uint32_t>{0} : options.threads)
    scenarios.push_back({threads, options.balanced, options.without_lock, options.task_overhead});
  const auto source = otf2::open_archive(find_archive(options.archive));
  report::WhatIf result;
  {
    Progress progress{"reading"};
    result = report::what_if(*source, scenarios, [&](double share) { progress.update(share); });
  }
  for (const report::Prediction& prediction : result.predictions)
    if (!prediction.matched()) throw Error{why_not_changed(options, prediction, result)};
  const bool is_job = result.processes > 1;
  const std::string processes = is_job ? " in each of " + format_counted(result.processes, "process") : std::string{};
  print_formatted("recorded   %10s  with %s%s%s, %s of it outside of parallel regions%s\n",
                  duration_text(result.recorded).c_str(), is_job ? "up to " : "",
                  format_counted(result.threads, "thread").c_str(), processes.c_str(),
                  duration_text(result.serial).c_str(), is_job ? " in the process that ends last" : "");
  print_formatted("replayed   %10s  the same by this model: %+.1f %%\n", duration_text(result.baseline.wall).c_str(),
                  100 * result.error());
  for (const std::string& doubt : result.doubts()) print_note(doubt);
  if (const std::string why = result.why_none(); !why.empty()) throw Error{"no prediction: " + why + "."};
  if (result.is_off())
    throw Error{"no prediction: the model replays the run as it was with an error of more than 10 %" +
                (result.why_off.empty() ? "" : "; " + result.why_off) + "."};
  const auto changes_threads = [&](std::uint32_t threads) { return threads != 0 && threads != result.threads; };
  if (result.unseen > report::WhatIf::most_unseen &&
      std::any_of(options.threads.begin(), options.threads.end(), changes_threads))
    throw Error{formatted(
        "no prediction for another number of threads: %.0f %% of the work in parallel regions is in no construct that "
        "the trace contains. %s.",
        100 * result.unseen,
        result.lacks.lacks(record_work)
            ? "Loops are not recorded: record again with the group work (TRACER_RECORD)"
            : "libgomp does not report static loops (docs/gcc.md): build the program with clang, or use "
              "schedule(runtime) for its loops")};
  for (const report::Prediction& prediction : result.predictions)
    print_formatted("what if    %10s  %s: %.2f times as fast as replayed\n", duration_text(prediction.wall).c_str(),
                    describe(prediction.scenario).c_str(), result.speedup(prediction));
  return ok;
}

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  add_archive(app, options->archive);
  app.add_option("-t,--threads", options->threads,
                 "Threads of each parallel region; a list, as in 1,2,4, predicts each")
      ->delimiter(',')
      ->type_name("N")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--balanced", options->balanced,
                 "Assume that the work of this construct is balanced: FILE:LINE or a part of its name")
      ->type_name("WHICH");
  app.add_option("--without-lock", options->without_lock,
                 "Assume no waiting for locks acquired in this region: a part of its name")
      ->type_name("NAME");
  app.add_option("--task-overhead", options->task_overhead, "Overhead of each task beside its work, in ns")
      ->type_name("NS")
      ->check(not_negative());
  action = [options] { return run(*options); };
}

}  // namespace

const Command what_if_command{
    "what-if", "Predict the run time with other thread counts, with balanced work, or without a lock", add};

}  // namespace tracer::cli
