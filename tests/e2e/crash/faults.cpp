// SPDX-License-Identifier: BSD-3-Clause
// faults CONDITION ROUNDS [DESCRIPTOR]: works for a while under bad conditions that it makes, and prints what it
// computed.
#include <fcntl.h>
#include <omp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

void limit(int what, rlim_t value) {
  rlimit now{};
  getrlimit(static_cast<__rlimit_resource>(what), &now);
  now.rlim_cur = value;
  setrlimit(static_cast<__rlimit_resource>(what), &now);
}

// Monotonic: where processors are short, libomp 19 fails an assertion in its stealing of iterations (kmp_dispatch.cpp,
// "vnew.p.ub * (UT)chunk <= trip"), without a tool too.
long work(int rounds) {
  long sum = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel for num_threads(2) reduction(+ : sum) schedule(monotonic : dynamic, 8)
    for (int i = 0; i < 64; ++i) sum += i;
  }
  return sum;
}

void take_all_descriptors() {
  while (dup(1) >= 0) {
  }
}

int usual_descriptor = -1;  ///< the number that a file of the program gets without the tool; -1: it is not known

/// The number that a file of the program gets: the lowest of some, since who reads a file just then has that one. Where
/// it is as low as usual, no more are looked at.
void print_next_descriptor() {
  int lowest = dup(1);
  close(lowest);
  for (int once_more = 0; once_more < 500 && lowest > usual_descriptor; ++once_more) {
    usleep(1000);
    const int descriptor = dup(1);
    lowest = std::min(lowest, descriptor);
    close(descriptor);
  }
  std::printf("descriptor %d\n", lowest);
}

/// Three quarters of the place that the rings are in are the program's own: it counts on them, as it may.
void share_memory() {
  const char* file = std::getenv("TRACER_TEST_SHARED");
  const int fd = open(file ? file : "/dev/null", O_RDWR | O_CREAT, 0600);
  constexpr std::size_t bytes = 12 << 20;
  if (fd < 0 || ftruncate(fd, bytes) != 0) return;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory != MAP_FAILED) std::memset(memory, 1, bytes);  // SIGBUS where there is nothing left
}

/// The same from now on with as many threads as the rings need to become large. Each has a lock of its own: one that
/// all wait for goes from thread to thread in turn, which takes minutes where these wait for processors.
void share_memory_with_many() {
#pragma omp parallel num_threads(16)
  {
    omp_lock_t own;
    omp_init_lock(&own);
    for (int i = 0; i < 10000; ++i) {
      omp_set_lock(&own);
      omp_unset_lock(&own);
    }
    omp_destroy_lock(&own);
  }
  share_memory();
}

/// What the process may take from now on is too little for the tables of the regions before.
void leave_little_memory() {
  work(60000);
  long pages = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  constexpr rlim_t little = 24 << 20;
  limit(RLIMIT_AS, static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + little);
}

volatile sig_atomic_t ticks = 0;
void tick(int) {
  ticks = ticks + 1;
}

/// A signal every half millisecond: system calls of all threads are interrupted.
void interrupt_all_the_time() {
  struct sigaction action {};
  action.sa_handler = tick;  // without SA_RESTART
  sigaction(SIGALRM, &action, nullptr);
  itimerval timer{{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

const std::map<std::string, std::function<void()>> conditions{
    {"none", [] {}},
    {"descriptors", take_all_descriptors},
    {"opens", print_next_descriptor},
    {"shares", share_memory_with_many},
    {"little_memory", leave_little_memory},
    {"signals", interrupt_all_the_time},
    {"removed",
     [] {
       if (const char* directory = std::getenv("TRACER_TEST_REMOVE"))
         std::system((std::string("rm -rf ") + directory).c_str());
     }},
    {"unwritable",
     [] {
       if (const char* directory = std::getenv("TRACER_TEST_REMOVE"))
         std::system((std::string("chmod -R 0 ") + directory).c_str());
     }},
};

}  // namespace

int main(int argc, char** argv) {
  const auto condition = conditions.find(argc > 1 ? argv[1] : "none");
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 20000;
  if (argc > 3) usual_descriptor = std::atoi(argv[3]);
  long sum = work(2);
  if (condition != conditions.end()) condition->second();
  sum += work(rounds);
  std::printf("sum %ld\n", sum);
  return 3;
}
