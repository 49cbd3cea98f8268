// SPDX-License-Identifier: BSD-3-Clause
// A storm of what signals' handlers deadlock in or crash at, for SECONDS on four threads of a region: libraries opened
// and closed, exceptions thrown through frames, processes forked, jumps, memory, and new threads with regions of their
// own.
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

std::atomic<long> opened{0}, thrown{0}, forked{0}, jumped{0}, begun{0};
std::atomic<long> failures{0};

__attribute__((noinline)) int throw_at(int depth) {
  if (depth == 0) throw std::runtime_error("storm");
  const std::string here(static_cast<std::size_t>(depth), 'x');  // something to destroy on the way
  return throw_at(depth - 1) + static_cast<int>(here.size());
}

void throws() {
  for (int i = 0; i < 200; ++i) {
    try {
      throw_at(i % 20);
      ++failures;
    } catch (const std::exception&) {
      ++thrown;
    }
  }
}

void opens(const char* library) {
  for (int i = 0; i < 20; ++i) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr || dlsym(handle, "storm_function") == nullptr) {
      ++failures;
      continue;
    }
    reinterpret_cast<int (*)(int)>(dlsym(handle, "storm_function"))(1000);
    dlclose(handle);
    ++opened;
  }
}

// From one thread at a time: libomp's own handlers of fork do not bear more.
void forks() {
  const pid_t child = fork();
  if (child == 0) _exit(7);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) ++failures;
  ++forked;
}

__attribute__((noinline)) void jump_back(jmp_buf& to, volatile int depth) {
  if (depth == 0) longjmp(to, 1);
  jump_back(to, depth - 1);
  depth = 0;
}

void jumps() {
  for (volatile int i = 0; i < 2000; i = i + 1) {
    jmp_buf here;
    if (setjmp(here) == 0) jump_back(here, i % 30);
    ++jumped;
  }
}

void* region_of_its_own(void*) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += 1;
  if (sum < 1) ++failures;
  ++begun;
  return nullptr;
}

void begins() {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, region_of_its_own, nullptr) == 0) pthread_join(thread, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(std::atoll(argv[1]));
#pragma omp parallel num_threads(4)
  {
    for (int round = 0; std::chrono::steady_clock::now() < until; ++round) {
      switch ((round + omp_get_thread_num()) % 4) {
        case 0:
          throws();
          break;
        case 1:
          opens(argv[2]);
          break;
        case 2:
          jumps();
          break;
        default: {
          const auto memory = std::make_unique<char[]>(static_cast<std::size_t>(1000 + round % 100000));
          if (memory[0] == 1 && memory[1] == 2) ++failures;
        }
      }
      if (omp_get_thread_num() == 0 && round % 4 == 0) forks();
      if (omp_get_thread_num() == 1 && round % 64 == 0) begins();
    }
  }
  std::printf("opened %ld thrown %ld forked %ld jumped %ld begun %ld failures %ld\n", opened.load(), thrown.load(),
              forked.load(), jumped.load(), begun.load(), failures.load());
  return failures.load() == 0 ? 0 : 1;
}
