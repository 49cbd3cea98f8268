// SPDX-License-Identifier: BSD-3-Clause
// A child process that starts the runtime and ends; its raw trace has the answers.
#include "tracer/cli/launch/probe.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "formats/raw/reader.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/cli/launch/launch.hpp"
#include "tracer/error.hpp"
#include "tracer/job/output_pattern.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

/// Never returns. exit() and not _exit(): the runtime finalises the tool there.
[[noreturn]] void start_runtime(const fs::path& runtime, const fs::path& library, const fs::path& output) {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  for (const auto& [name, value] :
       {std::pair{"OMP_TOOL", std::string{"enabled"}}, std::pair{"OMP_TOOL_LIBRARIES", library.string()},
        std::pair{"TRACER_OUTPUT", literal_output(output)}, std::pair{"TRACER_CONVERT", std::string{"later"}},
        std::pair{"TRACER", std::string{"on"}}, std::pair{"TRACER_LOG", std::string{"off"}}}) {
    setenv(name, value.c_str(), 1);
  }
  alarm(20);
  void* handle = dlopen(runtime.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) std::exit(1);
  const auto max_threads = reinterpret_cast<int (*)()>(dlsym(handle, "omp_get_max_threads"));
  if (max_threads == nullptr) std::exit(1);
  max_threads();
  std::exit(0);
}

}  // namespace

Probe probe_runtime(const fs::path& runtime, const fs::path& library) {
  Probe probe;
  std::error_code error;
  const fs::path place = fs::temp_directory_path(error);
  if (error) return {std::nullopt, "there is no directory for temporary files: " + error.message()};
  std::string name = (place / "tracer-info-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    return {std::nullopt, system_message("cannot make a directory in " + place.string(), errno)};
  const fs::path directory = name;
  const pid_t child = fork();
  if (child == 0) start_runtime(runtime, library, directory / "trace");
  if (child > 0) {
    wait_for(child);
    try {
      probe.journal = raw::open_trace(directory / "trace")->journal();
    } catch (const Error&) {  // no tool was started
    }
  } else {
    probe.why_unknown = system_message("cannot start a process", errno);
  }
  fs::remove_all(directory, error);
  return probe;
}

}  // namespace tracer::cli
