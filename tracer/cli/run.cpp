// SPDX-License-Identifier: BSD-3-Clause
// `tracer run`: starts a program with the tool in its OpenMP runtime and looks after the trace.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>

#include "tracer/base/job_directory.hpp"
#include "tracer/base/output_pattern.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/aftermath.hpp"
#include "tracer/cli/annotations.hpp"
#include "tracer/cli/command.hpp"
#include "tracer/cli/conversion.hpp"
#include "tracer/cli/guard.hpp"
#include "tracer/cli/job_launch.hpp"
#include "tracer/cli/launch.hpp"
#include "tracer/cli/mpi_library.hpp"
#include "tracer/cli/program.hpp"
#include "tracer/cli/run_options.hpp"
#include "tracer/cli/suggest.hpp"
#include "tracer/cli/terminal.hpp"
#include "tracer/report/filter.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

using Options = RunOptions;

/// Value of --runtime: whatever find_llvm_runtime finds.
constexpr const char* newest_found = "auto";

constexpr const char* what_gcc_does_not_report =
    "GCC's code reports no static loops, masked, atomic, reductions and no target regions; see docs/cli/run.md";

std::string newest_runtime(const std::string& needed_because) {
  const auto found = find_llvm_runtime();
  if (!found) {
    throw Error{needed_because +
                ", and no LLVM runtime was found to run it with. Install one (Debian: apt-get install libomp5) or name "
                "it with --runtime."};
  }
  return found->string();
}

void say_if_without_runtime(const Program& program, const Options& options) {
  if (program.kind != ProgramKind::dynamic_elf || has_openmp(program) || uses_mpi(program)) return;
  if (is_launcher(program.path)) {
    const std::string name = program.path.filename().string();
    return print_note("what " + name + " starts on this host is traced. For ranks on others write: " + name +
                      " ... tracer run -- program");
  }
  print_note(program.path.string() +
             " is linked with no OpenMP runtime: unless it loads one later, or starts programs with OpenMP or MPI," +
             (options.annotations == "none" ? "" : " or names its phases by NVTX, ITT, Kokkos or ROCTx,") +
             " there will be no trace.");
}

/// Throws where no tool can be loaded into it.
void require_traceable(const Program& program) {
  if (program.kind == ProgramKind::static_elf) {
    throw Error{program.path.string() +
                " is linked statically: no tool can be loaded into it. Link it dynamically (without -static)."};
  }
  if (program.set_user_id) {
    throw Error{
        program.path.string() +
        " is set-user-id or set-group-id: the loader accepts no tool for it. Trace a copy of it without that bit."};
  }
  if (program.contains_gcc_runtime) {
    throw Error{program.path.string() +
                " contains GCC's OpenMP runtime statically, which knows no tools. Link it with the shared libgomp, or "
                "build it with clang."};
  }
}

/// The runtime that must be preloaded, "" when the program, or what it starts, brings one that knows tools.
std::string runtime_to_preload(const Program& first, const Options& options) {
  // Of the ranks of a job, each with a `tracer run` of its own, the first speaks for all.
  const bool is_silent = options.quiet || find_launcher().rank > 0;
  const std::string asked =
      options.runtime == newest_found ? newest_runtime("--runtime auto was asked for") : options.runtime;
  const std::vector<Program> below = openmp_programs_below(options.command);
  const std::span<const Program> programs = below.empty() ? std::span{&first, 1} : std::span{below};
  for (const Program& program : programs) require_traceable(program);
  const auto knows_tools = [](const Program& p) { return p.has_llvm_runtime; };
  const auto of_gcc = std::find_if(programs.begin(), programs.end(),
                                   [&](const Program& p) { return p.has_gcc_runtime && !knows_tools(p); });
  const bool has_gcc = of_gcc != programs.end();
  const bool is_known_what_starts = !below.empty() && !is_launcher(first.path);
  if (!is_silent && !is_known_what_starts && (has_gcc || asked.empty())) say_if_without_runtime(first, options);
  if (!has_gcc) return asked;
  // Before a program that knows tools another runtime than its own is put only when it is asked for.
  if (asked.empty() && std::any_of(programs.begin(), programs.end(), knows_tools)) {
    if (!is_silent)
      print_note(of_gcc->path.string() +
                 " uses GCC's OpenMP runtime, which knows no tools, others beside it do not: name one runtime for "
                 "all by --runtime.");
    return asked;
  }
  const std::string runtime =
      !asked.empty()
          ? asked
          : newest_runtime(of_gcc->path.string() + " uses GCC's OpenMP runtime (libgomp), which knows no tools");
  if (!is_silent) {
    print_note(of_gcc->path.string() + " uses GCC's OpenMP runtime, which knows no tools: running it with " + runtime +
               ".");
    print_note(what_gcc_does_not_report);
  }
  return runtime;
}

std::string prepended(const char* name, const std::string& value) {
  const char* old = std::getenv(name);
  return old != nullptr && *old != '\0' ? value + ":" + old : value;
}

Environment environment_for(const Options& options, const std::string& library, const std::string& preload,
                            const Launch& launch) {
  Environment changes{{"OMP_TOOL", "enabled"}, {"OMP_TOOL_LIBRARIES", prepended("OMP_TOOL_LIBRARIES", library)}};
  if (!preload.empty()) changes.emplace_back("LD_PRELOAD", prepended("LD_PRELOAD", preload));
  if (launch.place.empty()) {
    changes.emplace_back("TRACER_OUTPUT", output_pattern(options.output));
  } else {
    changes.emplace_back("TRACER_OUTPUT", literal_output(launch.place));
    changes.emplace_back("TRACER_LAUNCH", launch.mark);
    changes.emplace_back("TRACER_CONVERT", "later");
  }
  if (!options.filter.empty())
    changes.emplace_back("TRACER_FILTER", std::filesystem::absolute(options.filter).string());
  if (options.sample != 0) changes.emplace_back("TRACER_SAMPLE", std::to_string(options.sample));
  if (!options.counters.empty()) changes.emplace_back("TRACER_COUNTERS", options.counters);
  if (options.verbose) changes.emplace_back("OMP_TOOL_VERBOSE_INIT", "stderr");
  for (const std::string& setting : options.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) throw UsageError{"--set takes NAME=VALUE, not '" + setting + "'"};
    std::string name = setting.substr(0, equals);
    if (!name.starts_with("TRACER_")) name = "TRACER_" + name;
    changes.emplace_back(std::move(name), setting.substr(equals + 1));
  }
  return changes;
}

int run(const Options& options) {
  check_settings(options.settings);
  const auto program = find_program(options.command.front());
  if (!program) {
    print_error("'" + options.command.front() + "' is not an executable file" +
                (options.command.front().find('/') == std::string::npos
                     ? " in PATH; for one in this directory write ./" + options.command.front()
                     : "") +
                "." +
                (options.sample != 0 && parse_number(options.command.front())
                     ? " A rate of samples is written --sample=" + options.command.front() + "."
                     : ""));
    return 127;
  }
  if (!options.filter.empty())
    report::Filter{}.add_file(options.filter);  // wrong ones are said before the program runs
  const auto library = find_tracer_library();
  if (!library) throw Error{"libtracer.so not found next to this command; name it with TRACER_LIBRARY."};
  const Program inspected = inspect_program(*program);
  const std::string preload = runtime_to_preload(inspected, options);
  Launch launch = begin_launch(options.output, *program);
  if (launch.job && launch.job->directory().renamed && !options.quiet) {
    print_note(launch.job->directory().wanted.string() + " is not empty: the trace goes to " +
               launch.place.filename().string() + " beside it.");
  }
  Environment changes =
      environment_for(options, library->string(), with_mpi_library(inspected, *library, preload), launch);
  add_annotations(options.annotations, *library, inspected, options.quiet, changes);
  std::optional<Guard> guard;
  if (launch.job && launch.shared) guard.emplace(launch.job->descriptors(), [&] { finish_killed(options, launch); });
  const Ended ended = run_program(options.command, changes);
  look_after_run(options, launch, ended, {program->string(), preload, is_launcher(inspected.path)});
  return ended.exit_status;  // whatever became of the trace
}

void add(CLI::App& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  app.add_option("-o,--output", options->output,
                 "Directory of the trace (TRACER_OUTPUT; default: ./tracer-PROGRAM-DATE-TIME-PID)")
      ->type_name("DIR");
  app.add_option("-f,--filter", options->filter,
                 "What to record and what not, in the include/exclude syntax of Score-P (TRACER_FILTER)")
      ->check(CLI::ExistingFile);
  app.add_option("-s,--set", options->settings,
                 "Any other setting, as its environment variable TRACER_NAME; may be repeated")
      ->type_name("NAME=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option(
         "--runtime", options->runtime,
         "LLVM OpenMP runtime to run the program with; auto: the newest found (default: the program's own, auto "
         "for programs of GCC)")
      ->type_name("FILE|auto")
      ->check(
          [](const std::string& given) { return given == newest_found ? std::string{} : CLI::ExistingFile(given); });
  app.add_option("--annotations", options->annotations,
                 "Whose words of the program to record: nvtx,itt,kokkos,roctx, all or none (default: all)")
      ->type_name("LIST")
      ->check(wrong_annotations);
  app.add_flag(
         "--sample{1000}", options->sample,
         "Sample call stacks and note scheduling; --sample=RATE: so many a second of each thread's processor time")
      ->check(CLI::Range(1u, 20000u));
  app.add_option("--counters", options->counters,
                 "Read these with each sample, as instructions,cycles,page-faults (TRACER_COUNTERS)")
      ->type_name("LIST");
  app.add_flag("-r,--report", options->report, "Show the report when the program has ended");
  app.add_option("--html", options->html, "Write the report as a page into this file")->type_name("FILE");
  app.add_option("--format", options->format,
                 "parquet: beside the archive, tables of it in DIR/tables (docs/formats/parquet.md)")
      ->check(CLI::IsMember({"otf2", "parquet"}))
      ->capture_default_str();
  app.add_flag("--raw", options->raw, "Leave the raw trace; `tracer convert` makes an archive of it");
  app.add_flag("--separate", options->separate, "Leave an archive for each process; `tracer merge` makes one of them");
  app.add_flag("-q,--quiet", options->quiet, "Say nothing but errors");
  app.add_flag("-v,--verbose", options->verbose, "Let the OpenMP runtime say how it looks for tools");
  app.prefix_command();  // from the first word that is no option of ours on, all belongs to the program
  app.footer(
      "Usage: tracer run [OPTIONS] [--] PROGRAM [ARGUMENTS...]\n"
      "Ends with the program's exit status, or 128 + the number of the signal that ended it.");
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
    return run(*options);
  };
}

}  // namespace

const Command run_command{"run", "Run a program and trace it", add};

}  // namespace tracer::cli
