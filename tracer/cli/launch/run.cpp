// SPDX-License-Identifier: BSD-3-Clause
// `tracer run`: starts a program with the tool in its OpenMP runtime and looks after the trace.
#include <system_error>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <thread>

#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/archives/conversion.hpp"
#include "tracer/cli/launch/after_run.hpp"
#include "tracer/cli/launch/annotations.hpp"
#include "tracer/cli/launch/descriptor_limit.hpp"
#include "tracer/cli/launch/guard.hpp"
#include "tracer/cli/launch/job_launch.hpp"
#include "tracer/cli/launch/launch.hpp"
#include "tracer/cli/launch/mpi_library.hpp"
#include "tracer/cli/launch/openmp_preload.hpp"
#include "tracer/cli/launch/other_tools.hpp"
#include "tracer/cli/launch/preload_order.hpp"
#include "tracer/cli/launch/process_ends.hpp"
#include "tracer/cli/launch/program.hpp"
#include "tracer/cli/launch/python.hpp"
#include "tracer/cli/launch/run_options.hpp"
#include "tracer/cli/launch/run_traces.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/options/settings.hpp"
#include "tracer/cli/output/output_file.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/cli/recover.hpp"
#include "tracer/cli/report.hpp"
#include "tracer/convert/recover.hpp"
#include "tracer/cut/filter.hpp"
#include "tracer/error.hpp"
#include "tracer/job/job_directory.hpp"
#include "tracer/job/output_pattern.hpp"
#include "tracer/merge/job_place.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

using Options = RunOptions;

/// Open at once, at most, until the program runs: pipes, directories, its file.
constexpr int files_while_starting = 7;

constexpr const char* cuda_injection = "CUDA_INJECTION64_PATH";

std::string prepended(const char* name, const std::string& value) {
  const char* old = std::getenv(name);
  return old != nullptr && *old != '\0' ? value + ":" + old : value;
}

Environment environment_for(const Options& options, const std::string& library, const std::string& preload,
                            const Launch& launch) {
  Environment changes{{"OMP_TOOL", "enabled"}};
  if (disables_tools(std::getenv("OMP_TOOL"))) {
    changes.emplace_back("TRACER_LAUNCH_TOOLS", "none");
    if (!options.quiet) print_note("OMP_TOOL=disabled holds for other OpenMP tools: Tracer records alone.");
  }
  if (library.find(':') == std::string::npos)
    changes.emplace_back("OMP_TOOL_LIBRARIES", prepended("OMP_TOOL_LIBRARIES", library));
  if (!preload.empty()) changes.emplace_back("LD_PRELOAD", prepended("LD_PRELOAD", preload));
  if (launch.place.empty()) {
    changes.emplace_back("TRACER", "off");  // it would look for the same place, in vain
  } else {
    changes.emplace_back("TRACER_LAUNCH_AT", launch.place.string());
    changes.emplace_back("TRACER_OUTPUT", literal_output(launch.place));
    changes.emplace_back("TRACER_LAUNCH", launch.mark);
    changes.emplace_back("TRACER_CONVERT", "later");
  }
  // CUDA's driver loads it when it starts; whoever is there already, as NVIDIA's profilers, stays.
  if (const char* other = std::getenv(cuda_injection); other == nullptr || *other == '\0')
    changes.emplace_back(cuda_injection, library);
  else if (other != library && !options.quiet)
    print_note(std::string{cuda_injection} + " names another tool, " + other +
               ": CUDA programs without OpenMP, MPI or annotations are not recorded.");
  if (!options.filter.empty())
    changes.emplace_back("TRACER_FILTER", std::filesystem::absolute(options.filter).string());
  if (options.sample != 0) changes.emplace_back("TRACER_SAMPLE", std::to_string(options.sample));
  if (!options.counters.empty()) changes.emplace_back("TRACER_COUNTERS", options.counters);
  if (options.transfer_content) changes.emplace_back("TRACER_TRANSFER_CONTENT", "on");
  if (options.verbose) changes.emplace_back("OMP_TOOL_VERBOSE_INIT", "stderr");
  for (const std::string& setting : options.settings) changes.push_back(parsed_setting(setting));
  return changes;
}

/// Behind everything that adds to LD_PRELOAD.
void settle_preload(const Program& first, std::vector<Program> programs, Environment& changes) {
  const auto preload =
      std::find_if(changes.begin(), changes.end(), [](const auto& change) { return change.first == "LD_PRELOAD"; });
  if (preload == changes.end()) return;
  std::optional<std::string> list;
  if (first.kind != ProgramKind::foreign_elf) {  // its loader would complain, or fail
    programs.push_back(first);
    list = with_sanitizers_first(preload->second, programs);
  }
  if (list)
    preload->second = *list;
  else
    changes.erase(preload);
}

/// Nothing is recorded: what the launch made is removed.
void give_up(Launch& launch) {
  if (launch.job && launch.job->end(launch.processes)) launch.job->clean_up(launch.keeps_open);
}

/// Before the program runs: throws where a place that the user has named cannot be written.
void require_outputs(const Options& options, Launch& launch) {
  const std::string trace = options.output.empty() ? "" : launch.why_none, page = why_not_writable(options.html);
  if (trace.empty() && page.empty()) return;
  give_up(launch);
  const bool is_page = trace.empty();
  throw Error{(is_page ? page : trace) + "; the program is not started. Name another place by " +
              (is_page ? "--html." : "--output.")};
}

/// Returns where the program cannot be started.
int run_untraced(const Options& options, const fs::path& program, const std::string& why) {
  print_error(why + ": the program runs without a trace.");
  const int error = run_in_place(options.command);
  print_error(why_not_started(program, error) + ".");
  return status_of_start(error);
}

int run(const Options& options) {
  check_settings(options.settings);
  if (!options.counters.empty()) check_setting("TRACER_COUNTERS", options.counters, "--counters " + options.counters);
  const auto program = find_program(options.command.front());
  if (!program) {
    print_error(why_not_found(options.command.front()) + "." +
                (options.sample != 0 && parse_number(options.command.front())
                     ? " A rate of samples is written --sample=" + options.command.front() + "."
                     : ""));
    return 127;
  }
  if (!can_open(files_while_starting))
    return run_untraced(options, *program, "too few files may be open (64 are enough: ulimit -n)");
  if (!options.filter.empty())
    report::Filter{}.add_file(options.filter);  // reports an invalid one before the program runs
  const fs::path library = need_tracer_library();
  const Program inspected = inspect_program(*program);
  const std::vector<Program> below = programs_below(options.command), openmp_below = with_openmp(below);
  const bool begins_with_python =
      (!options.python.empty() || options.sample != 0) && find_python(options.command).has_value();
  const std::string runtime = openmp_to_preload(
      inspected, {openmp_below, options.runtime, options.annotations != "none", options.quiet, begins_with_python},
      library);
  const bool is_reason_known =
      is_badly_placed(inspected, runtime, library, options.quiet) || is_untraceable(inspected, openmp_below);
  const std::string preload = before_other_tools(inspected, openmp_below, library, runtime);
  Launch launch = begin_launch(options.output, *program);
  require_outputs(options, launch);
  if (!launch.why_none.empty())
    print_error(launch.why_none + "; the program runs without a trace. Name another directory by --output.");
  if (launch.job && launch.job->directory().renamed && !options.quiet) {
    const fs::path& wanted = launch.job->directory().wanted;
    print_note(wanted.string() + ' ' + why_not_taken(wanted) + ": the trace goes to " +
               launch.place.filename().string() + " beside it.");
  }
  Environment changes =
      environment_for(options, library.string(), with_mpi_library(inspected, library, preload, options.quiet), launch);
  add_annotations(options.annotations, library, inspected, options.quiet, changes);
  add_python(options, library, changes);
  settle_preload(inspected, below, changes);
  std::optional<Guard> guard;
  if (launch.job && launch.shared) guard.emplace(launch.job->descriptors(), [&] { finish_killed(options, launch); });
  ProcessEnds others(launch.at, launch.mark);
  Ended ended;
  try {
    ended = run_program(options.command, changes, [&others](pid_t process) { others.start(process); });
  } catch (const Error& error) {
    guard.reset();
    give_up(launch);
    return run_untraced(options, *program, error.what());
  }
  look_after_run(options, launch, ended,
                 {*program, runtime, is_reason_known, is_launcher(inspected.path), others.take()});
  return ended.exit_status;  // whatever became of the trace
}

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  app.add_option("-o,--output", options->output,
                 "Directory of the trace (TRACER_OUTPUT; default: ./tracer-PROGRAM-DATE-TIME-PID)")
      ->type_name("DIR");
  app.add_option("-f,--filter", options->filter,
                 "Filter file that selects what to record, in Score-P's include/exclude syntax (TRACER_FILTER)")
      ->check(existing_file());
  app.add_option("-s,--set", options->settings,
                 "Set TRACER_NAME=VALUE for the program (docs/settings.md); may be repeated")
      ->type_name("NAME=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--runtime", options->runtime,
                 "Replace the program's OpenMP runtime by this libomp, also for GCC programs; auto: the newest libomp "
                 "found (default: the program's own runtime)")
      ->type_name("FILE|auto")
      ->check(valid_by(
          [](const std::string& given) { return given == newest_runtime_found ? std::string{} : wrong_file(given); }));
  app.add_option("--annotations", options->annotations,
                 "Annotation APIs to record: nvtx,itt,kokkos,roctx, all or none (default: all)")
      ->type_name("LIST")
      ->check(valid_by(wrong_annotations));
  app.add_flag("--python{on}", options->python,
               "Record calls of Python functions as regions; --python=all: also the standard library's; "
               "--python=MODULE,...: of these modules (TRACER_PYTHON)")
      ->type_name("MODULES")
      ->check(valid_by(wrong_python));
  app.add_flag("--sample{1000}", options->sample,
               "Sample call stacks and scheduling; RATE: samples per second of each thread's processor time, 1 to "
               "20000 (default: 1000)")
      ->type_name("RATE")
      ->check(in_range(1u, 20000u));
  app.add_option("--counters", options->counters,
                 "Counters to read with each sample, as in instructions,cycles,page-faults (TRACER_COUNTERS)")
      ->type_name("LIST");
  app.add_flag("--transfer-content", options->transfer_content,
               "Hash the data that target constructs copy, to find duplicate transfers and round trips; costs one more "
               "pass over the data (TRACER_TRANSFER_CONTENT)");
  app.add_flag("-r,--report", options->report, "Show the report after the program's end");
  app.add_option("--html", options->html, "Write the report as an HTML page into this file")->type_name("FILE");
  app.add_option("--format", options->format, "parquet: also write tables into DIR/tables (docs/formats/parquet.md)")
      ->check(one_of({"otf2", "parquet"}))
      ->capture_default_str();
  app.add_flag("--raw", options->raw, "Do not convert; `tracer convert` builds the archive later");
  app.add_flag("--separate", options->separate, "Do not merge the processes of a job; `tracer merge` does it later");
  app.add_flag("-q,--quiet", options->quiet, "Print errors only");
  app.add_flag("-v,--verbose", options->verbose, "Print the OpenMP runtime's tool-loading log");
  app.prefix_command();  // from the first word that is no option of ours on, all belongs to the program
  app.footer("The exit status is the program's, or 128 + the number of the signal that killed it.");
  action = [options, &app] {
    options->command = app.remaining();
    if (!options->command.empty() && options->command.front().starts_with('-')) {
      throw UsageError{"unknown option " + options->command.front() + "; see 'tracer run --help'."};
    }
    if (after_dashes() != nullptr) {
      if (!options->command.empty()) options->command.emplace_back("--");
      for (char** word = after_dashes(); *word != nullptr; ++word) options->command.emplace_back(*word);
    }
    if (options->command.empty())
      throw UsageError{"name the program to run: tracer run [OPTIONS] -- PROGRAM [ARGUMENTS...]"};
    if (options->raw && wants_results(*options))
      throw UsageError{"--raw makes no archive: leave it out, or leave out --report, --html and --format."};
    return run(*options);
  };
}

}  // namespace

const Command run_command{"run", "Run a program and trace it", add};

}  // namespace tracer::cli
