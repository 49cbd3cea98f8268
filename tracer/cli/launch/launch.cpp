// SPDX-License-Identifier: BSD-3-Clause
// fork, exec and wait, with signals passed on.
#include "tracer/cli/launch/launch.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "tracer/base/clock.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/cli/launch/descriptor_limit.hpp"
#include "tracer/error.hpp"

namespace tracer::cli {
namespace {

std::atomic<pid_t> child{0};

void pass_on(int signal) {
  const int saved = errno;
  if (const pid_t to = child.load(); to > 0) kill(to, signal);
  errno = saved;
}

/// CLOCK_MONOTONIC's second in which the program ended.
std::atomic<time_t> ended_at{0};

time_t monotonic_second() noexcept {
  return static_cast<time_t>(read_monotonic() / 1'000'000'000);
}

// Whoever ends a program sends its signal twice (timeout(1): to its child, then to the group) or to all (a terminal):
// what ended the program must not also end the making of its trace. Later on it does what it always does.
void after_the_end(int signal) {
  const int saved = errno;
  if (signal != SIGHUP && monotonic_second() - ended_at.load() > 1) {
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;
    sigaction(signal, &plain, nullptr);
    raise(signal);  // comes when this returns
  }
  errno = saved;
}

/// What this process does with a signal while the program runs, and after that. The program has each as it was here.
struct DuringProgram {
  int signal;
  void (*handler)(int);
  void (*after)(int);
};
const DuringProgram during[] = {
    {SIGINT, SIG_IGN, after_the_end},
    {SIGQUIT, SIG_IGN, after_the_end},
    {SIGTERM, pass_on, after_the_end},
    {SIGHUP, pass_on, after_the_end},
    {SIGUSR1, pass_on, SIG_IGN},  // of batch systems, before a job's time is over
    {SIGUSR2, pass_on, SIG_IGN},
    {SIGXCPU, pass_on, SIG_IGN},
    {SIGALRM, pass_on, SIG_IGN},
    {SIGVTALRM, pass_on, SIG_IGN},
    {SIGPROF, pass_on, SIG_IGN},
    {SIGPWR, pass_on, SIG_IGN},
    {SIGCHLD, SIG_DFL, SIG_DFL},  // where it is ignored nobody learns how a child
                                  // ended
    {SIGPIPE, SIG_IGN, SIG_IGN},  // whoever reads the messages may have gone
};

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

}  // namespace

int run_in_place(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  restore_descriptor_limit();
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
                  const std::function<void()>& started) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) throw Error{std::string{"cannot make a pipe: "} + std::strerror(errno)};
  struct sigaction before[std::size(during)];
  sigset_t blocked, mask;
  sigemptyset(&blocked);
  for (const DuringProgram& one : during) sigaddset(&blocked, one.signal);
  sigprocmask(SIG_BLOCK, &blocked, &mask);  // until `child` is set
  for (std::size_t i = 0; i < std::size(during); ++i) {
    struct sigaction action {};
    action.sa_handler = during[i].handler;
    sigaction(during[i].signal, &action, &before[i]);
  }
  Ended ended;
  ended.process = fork();
  if (ended.process <= 0) {
    const int error = errno;
    for (std::size_t i = 0; i < std::size(during); ++i) sigaction(during[i].signal, &before[i], nullptr);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    if (ended.process == 0) become(command, changes, report[1]);
    close(report[0]);
    close(report[1]);
    throw Error{std::string{"cannot make a process: "} + std::strerror(error)};
  }
  child.store(ended.process);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  close(report[1]);
  while (read(report[0], &ended.start_error, sizeof ended.start_error) < 0 && errno == EINTR) {
  }
  close(report[0]);
  if (started) started();
  const int status = wait_for(ended.process);
  ended.monotonic_ns = read_monotonic();
  ended_at.store(monotonic_second());
  child.store(0);
  for (std::size_t i = 0; i < std::size(during); ++i) {
    struct sigaction action {};
    action.sa_handler = during[i].after;
    action.sa_flags = SA_RESTART;
    sigaction(during[i].signal, before[i].sa_handler == SIG_IGN ? &before[i] : &action, nullptr);
  }
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
