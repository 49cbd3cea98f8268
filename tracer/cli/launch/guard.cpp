// SPDX-License-Identifier: BSD-3-Clause
// fork and setsid; the end of a pipe shows that the guarded process has died.
#include "tracer/cli/launch/guard.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "tracer/cli/launch/launch.hpp"

namespace tracer::cli {
namespace {

/// Launchers wait until nobody has their pipes and sockets any more.
void close_others(const std::vector<int>& kept) {
  std::vector<int> open;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    open.push_back(std::atoi(entry.path().filename().c_str()));
  for (const int fd : open)
    if (fd > STDERR_FILENO && std::find(kept.begin(), kept.end(), fd) == kept.end()) ::close(fd);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, fd);
  if (null > STDERR_FILENO) ::close(null);
}

/// Until nobody can write into the pipe any more: nobody ever does.
void wait_for_end(int pipe) noexcept {
  char word = 0;
  while (::read(pipe, &word, 1) < 0 && errno == EINTR) {
  }
}

[[noreturn]] void guard(int pipe, std::vector<int> kept, const std::function<void()>& finish) noexcept {
  try {
    ::setsid();
    ::prctl(PR_SET_NAME, "tracer-guard");
    kept.push_back(pipe);
    close_others(kept);
    wait_for_end(pipe);
    finish();
  } catch (...) {  // the parts stay: `tracer merge`
  }
  ::_exit(0);
}

}  // namespace

Guard::Guard(std::span<const int> kept, const std::function<void()>& finish) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return;
  UniqueFd hears{pipe[0]};
  lives_ = UniqueFd{pipe[1]};
  process_ = ::fork();
  if (process_ == 0) guard(hears.get(), {kept.begin(), kept.end()}, finish);
}

Guard::~Guard() {
  // Where it was killed and waited for, its number may be another's by now.
  if (process_ < 0 || ::waitpid(process_, nullptr, WNOHANG) != 0) return;
  ::kill(process_, SIGKILL);  // it only waits as long as this process lives
  wait_for(process_);
}

}  // namespace tracer::cli
