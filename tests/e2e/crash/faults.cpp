// SPDX-License-Identifier: BSD-3-Clause
// Works for a while under bad conditions that its argument makes, and prints what it computed.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
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
    {"opens", [] { std::printf("descriptor %d\n", dup(1)); }},
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
  long sum = work(2);
  if (condition != conditions.end()) condition->second();
  sum += work(rounds);
  std::printf("sum %ld\n", sum);
  return 3;
}
