// SPDX-License-Identifier: BSD-3-Clause
// fork, exec and wait, with signals passed on.
#include "tracer/cli/launch/launch.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tracer/base/clock.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/cli/launch/descriptor_limit.hpp"
#include "tracer/cli/launch/own_umask.hpp"
#include "tracer/cli/launch/passed_signals.hpp"
#include "tracer/error.hpp"

namespace tracer::cli {
namespace {

/// Never returns. An exec that fails writes errno into `report`.
[[noreturn]] void become(const std::vector<std::string>& command, const Environment& changes, int report) {
  for (const auto& [name, value] : changes) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  make_room_for_descriptors(report);
  const int error = run_in_place(command);
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(status_of_start(error));
}

/// As the first process of a container this one is the parent of all whose own has ended: they are gone once it has
/// waited for them, too.
int wait_for_program(pid_t process) {
  if (getpid() != 1) return wait_for(process);
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(-1, &status, 0);
  } while (ended != process && (ended > 0 || errno == EINTR));
  return status;
}

}  // namespace

int run_in_place(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  restore_descriptor_limit();
  restore_umask();
  execvp(arguments[0], arguments.data());
  return errno;
}

int status_of_start(int error) noexcept {
  return error == ENOENT ? 127 : 126;
}

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

Ended run_program(const std::vector<std::string>& command, const Environment& changes,
                  const std::function<void(pid_t)>& started) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) throw Error{std::string{"cannot make a pipe: "} + std::strerror(errno)};
  const PassedSignals signals;
  Ended ended;
  ended.process = fork();
  if (ended.process <= 0) {
    const int error = errno;
    signals.restore();
    if (ended.process == 0) become(command, changes, report[1]);
    close(report[0]);
    close(report[1]);
    throw Error{std::string{"cannot make a process: "} + std::strerror(error)};
  }
  signals.pass_to(ended.process);
  close(report[1]);
  while (read(report[0], &ended.start_error, sizeof ended.start_error) < 0 && errno == EINTR) {
  }
  close(report[0]);
  if (ended.start_error == E2BIG) {
    wait_for(ended.process);
    signals.restore();
    throw Error{"the program's environment has no room for Tracer's variables"};
  }
  if (started) started(ended.process);
  const int status = wait_for_program(ended.process);
  ended.monotonic_ns = read_monotonic();
  signals.program_has_ended();
  ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ended.exit_status = ended.signal != 0 ? 128 + ended.signal : WEXITSTATUS(status);
  return ended;
}

std::string output_of(const std::vector<std::string>& command, const Environment& changes) {
  int out[2], report[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(report, O_CLOEXEC) != 0) return {};
  const pid_t process = fork();
  if (process < 0) return {};
  if (process == 0) {
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    become(command, changes, report[1]);
  }
  close(out[1]);
  close(report[0]);
  close(report[1]);
  std::string text;
  char buffer[4096];
  ssize_t bytes = 0;
  while ((bytes = read(out[0], buffer, sizeof buffer)) > 0 || (bytes < 0 && errno == EINTR)) {
    if (bytes > 0) text.append(buffer, static_cast<std::size_t>(bytes));
  }
  close(out[0]);
  wait_for(process);
  return text;
}

}  // namespace tracer::cli
