// SPDX-License-Identifier: BSD-3-Clause
// What programs do that libgomp survives, though few would: jumps (hostile_jumps.cpp) and exceptions out of constructs,
// threads that end in them, forks in them, very many threads, bound ones, small stacks. hostile WORD; prints what must
// be the same with and without the tool.
#include "hostile.hpp"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

std::atomic<long> total{0};

long region(int threads, int iterations) {
  long sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < iterations; ++i) sum += i;
#pragma omp single nowait
    for (int i = 0; i < 4; ++i) {
#pragma omp task
      total += i;
    }
#pragma omp critical
    total += 1;
  }
  return sum;
}

static void exceptions() {
#pragma omp parallel num_threads(4)
  {
    for (int i = 0; i < 20; ++i) {
      try {
        if (i % 3 == 0) throw std::runtime_error("in a region");
        total += 1;
      } catch (const std::exception& e) {
        total += static_cast<long>(std::strlen(e.what()));
      }
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 20; ++i) {
      try {
        throw i;
      } catch (int n) {
        total += n;
      }
    }
#pragma omp single
    for (int i = 0; i < 10; ++i) {
#pragma omp task
      try {
        throw std::string("in a task");
      } catch (const std::string& s) {
        total += static_cast<long>(s.size());
      }
    }
  }
}
static void uncaught() {
#pragma omp parallel num_threads(1)
  throw 1;
}

static void* leave(void*) {
  region(2);
  pthread_exit(nullptr);
}
static void* wait_to_be_cancelled(void*) {
  region(2);
  for (;;) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
#pragma omp parallel num_threads(2)
    usleep(1000);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
    pthread_testcancel();
  }
}
static void ends() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, leave, nullptr);
  pthread_create(&threads[1], nullptr, wait_to_be_cancelled, nullptr);
  usleep(20000);
  pthread_cancel(threads[1]);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  for (int i = 0; i < 100; ++i) {
    pthread_create(&threads[0], nullptr, leave, nullptr);
    pthread_join(threads[0], nullptr);
  }
}

/// What a child does without the threads of its parent's team.
static int alone_in_child() {
  long sum = 0;
#pragma omp task if (0) shared(sum)
  sum += 1;
#pragma omp critical
  sum += 2;
#pragma omp parallel num_threads(1) reduction(+ : sum)
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 5; ++i) sum += i;
  return static_cast<int>(sum);
}
static void child(int how) {
  if (how == 0) _exit(3);
  if (how == 1) exit(4);
  if (how == 2) {
    execl("/bin/true", "true", static_cast<char*>(nullptr));
    _exit(9);
  }
  exit(alone_in_child());  // the thread goes on with its loop, its tasks and a team of its own
}
static void forks() {
  for (int how = 0; how < 4; ++how) {
    std::atomic<int> status{0};
#pragma omp parallel num_threads(1)
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 3; ++i) {
      if (i != 1) continue;
      fflush(stdout);
      const pid_t pid = fork();
      if (pid == 0) child(how);
      int found = 0;
      waitpid(pid, &found, 0);
      status = found;
    }
    printf("child %d ends with %d, %ld\n", how, WEXITSTATUS(status.load()), region(3));
  }
#pragma omp parallel num_threads(3)
  {
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) _exit(0);
    waitpid(pid, nullptr, 0);
#pragma omp barrier
    total += 1;
  }
}

template <class Child>
static void fork_and_add(std::atomic<long>& sum, Child child) {
  fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) _exit(child());
  int status = 0;
  waitpid(pid, &status, 0);
  sum += WEXITSTATUS(status);
}
/// Each member of a team, tasks, and threads beside teams fork; children of the last have teams and children.
static void team_forks() {
  std::atomic<long> sum{0};
#pragma omp parallel num_threads(4)
  fork_and_add(sum, alone_in_child);
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 5; ++i) {
#pragma omp task shared(sum)
    fork_and_add(sum, alone_in_child);
  }
  std::thread([&] {
    fork_and_add(sum, [] {
      std::atomic<long> inner{0};
#pragma omp parallel num_threads(3)
      inner += 1;
      fork_and_add(inner, alone_in_child);
      return static_cast<int>(inner);
    });
  }).join();
  printf("children add %ld\n", sum.load());
}

static void many() {
  for (int i = 0; i < 3; ++i) {
    std::atomic<int> seen{0};
#pragma omp parallel num_threads(1000)
    {
      ++seen;
#pragma omp barrier
#pragma omp for schedule(dynamic)
      for (int k = 0; k < 2000; ++k) total += 1;
#pragma omp single
      for (int k = 0; k < 1000; ++k) {
#pragma omp task
        total += 1;
      }
    }
    printf("%d threads\n", seen.load());
  }
}

// Where each thread may run, its place and number, and what the runtime says of itself.
static void bound() {
  omp_display_env(0);
  std::vector<std::string> lines(64);
  int team = 0;
#pragma omp parallel
  {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    std::string line = "thread " + std::to_string(omp_get_thread_num()) + " place " +
                       std::to_string(omp_get_place_num()) + " of " + std::to_string(omp_get_num_places()) + " on";
    for (int i = 0; i < 64; ++i)
      if (CPU_ISSET(i, &set)) line += " " + std::to_string(i);
    lines[static_cast<unsigned>(omp_get_thread_num()) % 64] = line;
#pragma omp single
    team = omp_get_num_threads();
  }
  for (const auto& line : lines)
    if (!line.empty()) puts(line.c_str());
  printf("%d threads, at most %d, limit %d, bind %d, dynamic %d\n", team, omp_get_max_threads(), omp_get_thread_limit(),
         omp_get_proc_bind(), omp_get_dynamic());
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  total += omp_get_level() * 10 + omp_get_ancestor_thread_num(1);
}

static void* small(void*) {
  long sum = 0;
#pragma omp parallel num_threads(1) reduction(+ : sum)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 10; ++i) sum += i;
#pragma omp task if (0) shared(sum)
    sum += 1;
  }
  total += sum;
  return nullptr;
}
static void stacks() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  for (std::size_t kilobytes : {16, 20, 24, 32, 64}) {
    pthread_attr_setstacksize(&attributes, kilobytes * 1024);
    pthread_t thread;
    const int result = pthread_create(&thread, &attributes, small, nullptr);
    if (result == 0) pthread_join(thread, nullptr);
    printf("%zu KiB: %d\n", kilobytes, result);
  }
}

static void interrupted(int) {
#pragma omp critical(handled)
  total += 0;
}
static void signals() {
  struct sigaction action = {};
  action.sa_handler = interrupted;
  sigaction(SIGALRM, &action, nullptr);
  ualarm(500, 500);
  for (int i = 0; i < 300; ++i) region(3);
  ualarm(0, 0);
}

/// Tasks of a handler between the instructions of the program's tasks, on the thread's stack and on one of its own.
static std::atomic<long> handled{0};
static void make_tasks(int) {
  const int kept = errno;
  long sum = 0;
#pragma omp task if (0) shared(sum)
  sum += 1;
#pragma omp task shared(sum) firstprivate(kept)
  sum += kept == kept;
  if (sum != 2) abort();
  handled += sum;
  errno = kept;
}
static void handlers() {
  static char stack[64 * 1024];
  stack_t own = {};
  own.ss_sp = stack;
  own.ss_size = sizeof stack;
  sigaltstack(&own, nullptr);
  long sum = 0;
  for (int flags : {SA_RESTART, SA_RESTART | SA_ONSTACK}) {
    struct sigaction action = {};
    action.sa_handler = make_tasks;
    action.sa_flags = flags;
    sigaction(SIGALRM, &action, nullptr);
    handled = 0;
    ualarm(50, 50);
    while (handled < 500)
      for (int i = 0; i < 1000; ++i) {
        long a = 0, b = 0;
#pragma omp task if (0) shared(a)
        a = 3;
#pragma omp task shared(b) firstprivate(a)
        b = a + 1;
        if (a != 3 || b != 4) abort();
      }
    sum += handled >= 500;
    int ends[2];
    char byte = 0;
    if (pipe(ends) != 0) abort();
    const pid_t pid = fork();
    if (pid == 0) {
      ualarm(0, 0);
      usleep(20000);
      _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
    }
    if (read(ends[0], &byte, 1) == 1) sum += byte == 'x';
    ualarm(0, 0);
    waitpid(pid, nullptr, 0);
    close(ends[0]), close(ends[1]);
  }
  printf("handlers %ld\n", sum);
}

/// Handlers inside calls of the C library that hold its locks, and the tool's: fork, malloc, printf.
static void handlers_in_calls() {
  struct sigaction action = {};
  action.sa_handler = make_tasks;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  ualarm(200, 200);
  long children = 0;
  for (int i = 0; i < 150; ++i) {
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) _exit(1);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
      if (errno != EINTR) abort();
    children += WEXITSTATUS(status);
  }
  std::vector<void*> blocks(64);
  for (handled = 0; handled < 2000;)
    for (std::size_t i = 0; i < 10'000; ++i) {
      void*& block = blocks[i * 7 % blocks.size()];
      free(block);
      block = malloc(16 + i * 37 % 5000);
    }
  for (void* block : blocks) free(block);
  FILE* const sink = fopen("/dev/null", "w");
  for (handled = 0; handled < 2000;)
    for (int i = 0; i < 1000; ++i) fprintf(sink, "%d %ld\n", i, children);
  fclose(sink);
  ualarm(0, 0);
  printf("%ld children of handled calls\n", children);
}

/// The C library ends the process with its last thread: by exit(), whose handlers find the signals that they had. Not
/// on the first thread: glibc 2.43 blocks all of them there.
static void last_thread() {
  atexit([] {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    const bool is_first = gettid() == getpid();
    printf("at the end %d\n", !is_first && (sigismember(&blocked, SIGTERM) || sigismember(&blocked, SIGCHLD)));
    fflush(stdout);
  });
  region(1, 4);
  pthread_exit(nullptr);
}

int main(int, char** argv) {
  const std::string word = argv[1];
  const struct {
    const char* name;
    void (*function)();
  } all[] = {{"jumps", jumps},
             {"jump-from-region", jump_from_region},
             {"left", left},
             {"coroutines", coroutines},
             {"exceptions", exceptions},
             {"uncaught", uncaught},
             {"ends", ends},
             {"forks", forks},
             {"team-forks", team_forks},
             {"many", many},
             {"bound", bound},
             {"stacks", stacks},
             {"signals", signals},
             {"handlers", handlers},
             {"handlers-in-calls", handlers_in_calls},
             {"last-thread", last_thread}};
  for (const auto& each : all) {
    if (word != each.name) continue;
    each.function();
    const long sum = region(2);
    printf("%ld, total %ld\n", sum, total.load());
    return 0;
  }
  return 2;
}
