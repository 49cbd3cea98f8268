// SPDX-License-Identifier: BSD-3-Clause
// The child does the work, the parent watches.
#include "tracer/ompd/guard.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "tracer/base/message.hpp"
#include "tracer/base/text.hpp"
#include "tracer/ompd/target/refusal.hpp"

namespace tracer::ompd {
namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t child = 0, passed = 0;

void pass_on(int signal) {
  passed = signal;
  if (child > 0) kill(child, signal);
}

/// While it lives, what would end us goes to the child, whose end we wait for.
class PassSignals {
 public:
  PassSignals() {
    struct sigaction action {};
    action.sa_handler = pass_on;
    for (std::size_t i = 0; i < std::size(signals); ++i) sigaction(signals[i], &action, &before_[i]);
  }
  ~PassSignals() {
    for (std::size_t i = 0; i < std::size(signals); ++i) sigaction(signals[i], &before_[i], nullptr);
  }

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(signals)]{};
};

void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

[[noreturn]] void be_the_child(pid_t parent, int death_signal, const std::function<int()>& body) {
  prctl(PR_SET_PDEATHSIG, death_signal);
  // Whoever kills the command by its name, its group or its terminal shall not kill the one that has to clean up.
  setsid();
  prctl(PR_SET_NAME, "ompd-worker");
  std::signal(SIGPIPE, SIG_IGN);
  if (getppid() != parent) _exit(1);  // it died before the line above
  int status = 1;
  try {
    status = body();
  } catch (const CannotLook& error) {
    write_message(STDERR_FILENO, "tracer: " + shown_lines(error.what()) + "\n");
    status = static_cast<int>(error.why());
  } catch (const std::exception& error) {
    write_message(STDERR_FILENO, "tracer: " + shown_lines(error.what()) + "\n");
  }
  std::fflush(nullptr);
  _exit(status);  // the parent's destructors and exit handlers are the parent's
}

}  // namespace

int guarded(std::chrono::milliseconds limit, int death_signal, const std::function<int()>& body,
            const std::function<void()>& after_crash) {
  // Ignored, as a shell's `trap '' CHLD` leaves it, children have no status, and their stops send no signal.
  std::signal(SIGCHLD, SIG_DFL);
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t id = fork();
  if (id < 0) throw Error(std::string{"cannot start a process: "} + std::strerror(errno));
  if (id == 0) be_the_child(parent, death_signal, body);
  child = id;
  passed = 0;
  const PassSignals signals;
  const auto deadline = Clock::now() + limit;
  bool killed = false;
  int status = 0;
  for (auto pause = std::chrono::microseconds{100};; pause = std::min(pause * 2, std::chrono::microseconds{10'000})) {
    const pid_t got = waitpid(id, &status, limit.count() > 0 ? WNOHANG : 0);
    if (got == id) break;
    if (got < 0 && errno != EINTR) throw Error(std::string{"lost the helper process: "} + std::strerror(errno));
    if (limit.count() > 0 && !killed && Clock::now() > deadline) {
      kill(id, SIGKILL);
      killed = true;
    }
    if (limit.count() > 0) std::this_thread::sleep_for(pause);
  }
  child = 0;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  if (after_crash) after_crash();
  if (WTERMSIG(status) == passed) end_by(passed);
  if (killed)
    throw CannotLook(Refusal::stuck, "gave up after " + std::to_string(limit.count() / 1000) +
                                         " s: the data is damaged, or the machine too busy (--timeout sets the limit)");
  if (WTERMSIG(status) == SIGKILL)
    throw CannotLook(Refusal::crashed,
                     "the helper process was killed; what it had changed in the process was put back");
  throw CannotLook(Refusal::crashed, "the OMPD plugin or libdw crashed on what it read (" +
                                         std::string{strsignal(WTERMSIG(status))} +
                                         "): the data is damaged, or they do not fit");
}

}  // namespace tracer::ompd
