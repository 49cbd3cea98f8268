// SPDX-License-Identifier: BSD-3-Clause
// pool KIND CHILDREN [LIBRARY]: threads of a pool have regions, tasks and threads of their own that come and go, and
// one after the other forks; what the others hold by then is held in the child for ever. KIND says what a child does:
// `leaves` by _exit, `looks` for open files of a tool's, `exits`, `speaks` (NVTX, if a tool listens), or `computes`
// with OpenMP. With a library (counts.c) its region is executed as well. Says how many children did so.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <omp.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int pool_threads = 3;
/// A child that has not ended by then hangs.
constexpr unsigned child_seconds = 60;
std::atomic<bool> is_over{false};
std::atomic<int> turn{0};
std::atomic<int> good{0};

int (*count_in_library)(int) = nullptr;

int compute(int n) {
  int sum = 0;
  if (count_in_library != nullptr && count_in_library(n) != n) return -1;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) sum += i;
#pragma omp single
    for (int i = 0; i < 4; ++i) {
#pragma omp task
      { [[maybe_unused]] volatile int unused = i; }
    }
  }
  return sum;
}

/// Rings, directories of a trace, and the state of the parent.
int open_files_of_tool() {
  DIR* const all = opendir("/proc/self/fd");
  if (all == nullptr) return 0;
  int count = 0;
  while (const dirent* const one = readdir(all)) {
    char target[4096] = {};
    struct stat info {};
    if (readlinkat(dirfd(all), one->d_name, target, sizeof target - 1) <= 0) continue;
    const bool is_directory = fstatat(dirfd(all), one->d_name, &info, 0) == 0 && S_ISDIR(info.st_mode);
    const bool is_state = std::strncmp(target, "/proc/", 6) == 0 && std::strstr(target, "/stat") != nullptr;
    if (is_state || std::strstr(target, "/rings") != nullptr ||
        (is_directory && std::strstr(target, "/trace") != nullptr))
      ++count;
  }
  closedir(all);
  return count;
}

[[noreturn]] void child(const char* kind) {
  alarm(child_seconds);
  if (std::strcmp(kind, "leaves") == 0) _exit(7);
  if (std::strcmp(kind, "looks") == 0) _exit(open_files_of_tool() == 0 ? 7 : 1);
  if (std::strcmp(kind, "computes") == 0) _exit(compute(100) == 4950 ? 7 : 1);
  const std::string text(1000, 'x');  // memory of the C library's
  if (std::strcmp(kind, "speaks") == 0) {
    using Push = int(const char*);
    using Pop = int();
    auto* const push = reinterpret_cast<Push*>(dlsym(RTLD_DEFAULT, "nvtxRangePushA"));
    auto* const pop = reinterpret_cast<Pop*>(dlsym(RTLD_DEFAULT, "nvtxRangePop"));
    for (int i = 0; i < 10 && push != nullptr && pop != nullptr; ++i) {
      push("child");
      pop();
    }
    _exit(text.size() == 1000 ? 7 : 1);
  }
  std::quick_exit(text.size() == 1000 ? 7 : 1);
}

void fork_once(const char* kind) {
  const pid_t one = fork();
  if (one == 0) child(kind);
  int status = 0;
  if (one > 0 && waitpid(one, &status, 0) == one && WIFEXITED(status) && WEXITSTATUS(status) == 7) {
    ++good;
  } else {
    std::printf("a child ended with status %d\n", status);
  }
}

void serve(int number, const char* kind, int children) {
  while (!is_over) {
    if (compute(100) != 4950) std::abort();
    const int now = turn;
    if (now >= children) {
      is_over = true;
    } else if (now % pool_threads == number) {
      fork_once(kind);
      ++turn;
    }
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  if (count > 3) {
    void* const library = dlopen(words[3], RTLD_NOW);
    if (library != nullptr) count_in_library = reinterpret_cast<int (*)(int)>(dlsym(library, "count_in_region"));
    if (count_in_library == nullptr) return 2;
  }
  std::vector<std::thread> pool;
  for (int n = 0; n < pool_threads; ++n) pool.emplace_back(serve, n, words[1], std::atoi(words[2]));
  for (std::thread& thread : pool) thread.join();
  std::printf("%s: %d\n", words[1], good.load());
  return good == std::atoi(words[2]) ? 0 : 1;
}
