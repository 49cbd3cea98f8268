// SPDX-License-Identifier: BSD-3-Clause
// Reads /proc for who is running.
#include "tracer/session/run_info.hpp"

#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <climits>
#include <filesystem>
#include <system_error>

#include "tracer/base/clock.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/text.hpp"

namespace tracer {
namespace {

std::string processor_name() {
  const std::string text = read_small_file("/proc/cpuinfo", 8192);
  for (const char* key : {"model name", "CPU part"}) {
    const auto at = text.find(key);
    if (at == text.npos) continue;
    const auto colon = text.find(':', at), end = text.find('\n', at);
    if (colon != text.npos && colon < end) return text.substr(colon + 2, end - colon - 2);
  }
  return {};
}

std::vector<std::string> arguments() {
  std::string text = read_small_file("/proc/self/cmdline", 1 << 16);
  if (!text.empty() && text.back() == '\0') text.pop_back();
  return split(text, '\0');
}

}  // namespace

RunInfo describe_run(RunInfo run) {
  std::error_code error;
  run.program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  run.arguments = arguments();
  run.working_directory = std::filesystem::current_path(error).string();
  utsname system{};
  if (::uname(&system) == 0) {
    run.host = system.nodename;
    run.machine = std::string{system.sysname} + " " + system.machine;
  }
  run.processor = processor_name();
  run.process_id = static_cast<std::uint64_t>(::getpid());
  run.parent_process_id = static_cast<std::uint64_t>(::getppid());
  run.main_thread_id = static_cast<std::uint64_t>(::syscall(SYS_gettid));
  run.clock = clock_kind();
  run.begin = now();
  return run;
}

}  // namespace tracer
