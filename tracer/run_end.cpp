// SPDX-License-Identifier: BSD-3-Clause
// See run_end.hpp.
#include "tracer/run_end.hpp"

#include <dlfcn.h>

#include <exception>
#include <filesystem>
#include <string>

#include "tracer/base/config.hpp"
#include "tracer/base/log.hpp"
#include "tracer/base/text.hpp"
#include "tracer/convert/convert.hpp"
#include "tracer/convert/summary.hpp"
#include "tracer/error.hpp"
#include "tracer/job/job_directory.hpp"
#include "tracer/merge/merge.hpp"
#include "tracer/session/output_directory.hpp"

namespace tracer::tool {
namespace {

/// The raw trace is kept: where it is, why, and the command that converts it. `reason`: "", or begins with a comma.
void report_raw_trace(const Session& session, const std::string& reason) {
  log_summary("raw trace left in " + session.raw_directory().string() + reason +
              "; to build the archive: tracer convert " + shell_word(session.directory().string()));
}

// Without `tracer run`, the last process of a launcher's job makes one archive of all.
void end_job() {
  JobRun* run = own_job_run();
  if (run == nullptr) return;
  const Launcher launcher = find_launcher();
  if (!run->end(launcher.processes)) return;
  try {
    MergeOptions options;
    options.conversion.within_limits = true;
    options.job = run->directory().path;
    const MergeResult result = merge_job(run->at(), options);
    for (const std::string& line : result.left_out) log_warning(line);
    for (const std::string& line : result.notes) log_warning(line);
    log_summary(summary_of(result));
    run->clean_up(launcher.named);
  } catch (const std::exception& error) {
    const std::filesystem::path& path = run->directory().path;
    log_error("the job's parts are not joined: " + with_path(error.what(), run->at(), path) +
              "; try again by: tracer merge " + shell_word(path.string()));
  }
}

/// The library that has put its own fstat() before the C library's; "" none. Those of sanitizers do not count. libdw
/// calls it to look lines up, and libfaketime's may be gone by then (own_calls.cpp).
std::string library_before_fstat() {
  Dl_info info{};
  const void* function = ::dlsym(RTLD_DEFAULT, "fstat");
  if (function == nullptr || ::dladdr(function, &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string path = info.dli_fname, name = path.substr(path.rfind('/') + 1);
  const bool is_preloaded = name.find(".so") != name.npos && !name.starts_with("libc.so") &&
                            !name.starts_with("libc-") && name.find("san") == name.npos;
  return is_preloaded ? name : std::string{};
}

void convert_trace(const Session& session) {
  const std::filesystem::path at = session.at();
  if (at.empty()) throw Error(session.directory().string() + " was moved away; the raw trace is in it");
  const Config& config = session.config();
  if (config.convert == ConvertWhen::later) {
    if (config.launch.empty()) report_raw_trace(session, "");  // else `tracer run` converts
    return;
  }
  if (const std::string library = library_before_fstat(); !library.empty())
    return report_raw_trace(session,
                            ", which is not converted in a process where " + library + " is before the C library");
  ConvertOptions options;
  options.threads = config.threads;
  options.keep_raw = config.keep_raw;
  options.within_limits = true;
  try {
    ConvertResult result = convert(at / "raw", at, options);
    result.archive = session.directory() / "traces.otf2";
    if (own_job_run() != nullptr) return end_job();
    log_summary(summary_of(result));
  } catch (const PutOff& reason) {
    report_raw_trace(session, std::string(", since ") + reason.what());
  } catch (const std::exception& error) {
    log_error("no archive was made: " + with_path(error.what(), at, session.directory()) +
              "; what was recorded is kept, try again by: tracer recover " + shell_word(session.directory().string()));
  }
}

}  // namespace

void make_archive(const Session& session, bool has_room) {
  if (has_room) return convert_trace(session);
  report_raw_trace(session, ", which is not converted on the small stack that the program ends on");
}

}  // namespace tracer::tool
