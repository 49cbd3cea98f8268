// SPDX-License-Identifier: BSD-3-Clause
// `tracer merge`: makes one archive of the parts of a job, or of archives and raw traces that were made separately.
#include <cstdint>
#include <memory>

#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/archives/conversion.hpp"
#include "tracer/cli/archives/indexing.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/merge/job_place.hpp"
#include "tracer/merge/merge.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

struct Options {
  std::vector<std::string> jobs;
  std::string output, part;
  unsigned threads = 0;
  bool quiet = false;
  IndexOption index;
};

/// "3/8"
void parse_part(const std::string& text, MergeOptions& options) {
  if (text.empty()) return;
  const auto slash = text.find('/');
  constexpr std::uint64_t most = 1'000'000;
  const auto part = parse_number(text.substr(0, slash)).value_or(0);
  const auto of = slash == std::string::npos ? 0 : parse_number(text.substr(slash + 1)).value_or(0);
  options.part = static_cast<unsigned>(part);
  options.of = static_cast<unsigned>(of);
  if (part == 0 || of == 0 || part > of || of > most)
    throw UsageError{"--part takes I/N, as in 3/8, not '" + text + "'"};
}

MergeResult merge_in_place(const MergeOptions& merging) try {
  return merge_job(merging.job, merging);
} catch (const PlaceTaken& taken) {
  throw Error{why_not_merged(merging.job, std::string{", since "} + taken.what()) +
              "; without that trace: tracer merge " + shell_word(merging.job.string()) + " --output DIR"};
}

int run(Options& options) {
  MergeOptions merging;
  parse_part(options.part, merging);
  if (options.output.empty() && (options.jobs.size() > 1 || merging.of != 0))
    throw UsageError{"name the directory of the archive by --output"};
  std::vector<fs::path> traces;
  for (const std::string& job : options.jobs) {
    require_directory(job);
    if (options.output.empty()) require_own_place(job, "copy it first.");
    for (fs::path& trace : traces_below(fs::absolute(job).lexically_normal())) {
      require_own_place(trace, "copy it first.");
      traces.push_back(std::move(trace));
    }
  }
  if (traces.empty() && !is_found(fs::path{options.jobs.front()} / "merging"))
    throw Error{options.jobs.front() + " holds no trace, and no part of a job."};
  merging.conversion = own_conversion();
  if (options.threads != 0) merging.conversion.threads = options.threads;
  options.index.use_threads(merging.conversion.threads);
  merging.convert_one = [](const fs::path& trace, const ConvertOptions& conversion) {
    return conversion.at_once > 1 ? convert_or_recover(trace, trace, conversion)
                                  : convert_with_progress(trace, trace, conversion);
  };
  merging.conversion.progress = conversion_bar();
  merging.conversion.waiting = [&] { print_waiting(options.jobs.front()); };
  if (options.output.empty()) merging.job = fs::absolute(options.jobs.front()).lexically_normal();
  const MergeResult result = options.output.empty() ? merge_in_place(merging) : merge(traces, options.output, merging);
  print_merged(result, options.quiet);
  options.index.finish(result.archive, options.quiet);
  return result.left_out.empty() ? ok : failure;
}

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  app.add_option("JOB", options->jobs, "Directories of jobs, of traces, or of raw traces")->required();
  app.add_option(
         "-o,--output", options->output,
         "Directory of the archive; the parts stay as they are (default: the job's own, whose parts are then removed)")
      ->type_name("DIR");
  app.add_option(
         "--part", options->part,
         "Merge only the I-th of N shares; merge the N results afterwards: spreads a large merge over processes")
      ->type_name("I/N");
  options->index.add_to(app);
  add_threads(app, options->threads, "convert raw parts and to make the index");
  app.add_flag("-q,--quiet", options->quiet, "Print errors only");
  app.footer(
      "'tracer run' merges at the end of a job. `merge` converts raw parts and recovers parts of killed processes "
      "first.\n"
      "It names each part that it cannot join and leaves it beside the archive; merge again when that part is "
      "complete.");
  action = [options] { return run(*options); };
}

}  // namespace

void print_merged(const MergeResult& result, bool quiet) {
  for (const std::string& line : result.left_out) print_error(line);
  if (quiet) return;
  for (const std::string& line : result.notes) print_note(line);
  print_note(summary_of(result));
}

const Command merge_command{"merge", "Merge the traces of a job's processes into one archive", add};

}  // namespace tracer::cli
