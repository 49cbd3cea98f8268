// SPDX-License-Identifier: BSD-3-Clause
// See run_traces.hpp.
#include "tracer/cli/launch/run_traces.hpp"

#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "tracer/base/config.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/output/terminal.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;

fs::path path_of(const fs::path& directory, const fs::path& trace) {
  return trace.empty() ? directory : directory / trace;
}

std::vector<OwnTrace> own_traces(const Launch& launch, const std::vector<fs::path>& traces) {
  std::vector<OwnTrace> own;
  for (const fs::path& trace : traces) own.push_back({path_of(launch.place, trace), path_of(launch.at, trace)});
  return own;
}

std::vector<fs::path> more_traces(const Launch& launch, const std::vector<fs::path>& known) {
  std::vector<fs::path> more = traces_of(launch);
  std::erase_if(more,
                [&](const fs::path& trace) { return std::find(known.begin(), known.end(), trace) != known.end(); });
  return more;
}

std::vector<OwnTrace> traces_elsewhere(const std::vector<LaunchNote>& notes) {
  std::vector<OwnTrace> elsewhere;
  std::error_code error;
  for (const LaunchNote& note : notes) {
    if (note.kind != LaunchNoteKind::elsewhere) continue;
    print_note("the program or its launcher set TRACER_OUTPUT: a trace is in " + shell_word(note.text));
    if (fs::exists(fs::path{note.text} / "raw", error)) elsewhere.push_back({note.text, note.text});
  }
  return elsewhere;
}

void print_none_was_made(const Ended& ended, const std::string& preload, const std::vector<LaunchNote>& notes) {
  const bool is_off =
      std::any_of(notes.begin(), notes.end(), [](const LaunchNote& note) { return note.kind == LaunchNoteKind::off; });
  if (is_off || !read_config(environ).enabled)
    return print_note("no trace: TRACER=off is in the environment, or the program sets it.");
  for (const LaunchNote& note : notes)
    if (note.kind == LaunchNoteKind::failed) return print_note("no trace: " + printable(note.text));
  if (ended.signal != 0) return print_note("no trace: the program ended too early.");
  print_note(
      "no trace: no process of the program began one. If no line of Tracer above says why, it is one of these:\n"
      "  the program used no OpenMP, MPI, CUDA or annotations\n"
      "  its OpenMP runtime does not support OMPT: tracer run --verbose prints what the runtime loads\n"
      "  something starts it without LD_PRELOAD and OMP_TOOL_LIBRARIES (env -i, sudo): put tracer run behind that\n"
      "  it could not load Tracer or write the trace (container, another user, chroot, seccomp)");
  if (preload.empty())
    print_note(
        "If it loads code that GCC compiled with OpenMP (a module of Python or R, a script), try: tracer run --runtime "
        "auto -- ...");
}

}  // namespace tracer::cli
