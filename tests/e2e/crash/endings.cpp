// SPDX-License-Identifier: BSD-3-Clause
// One program, all endings: runs a region, prints what it computed, and ends as its argument says.
#include <pthread.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <omp.h>

namespace {

char** arguments;

int compute(int n) {
  int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += i;
  return sum;
}

void say(const char* text, int value) {
  std::printf("%s %d\n", text, value);
  std::fflush(stdout);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void closing_all_descriptors() {
  for (int fd = 3; fd < 4096; ++fd) close(fd);
}

/// Its cancellation is pending while it calls the runtime: it ends at a cancellation point of the program's, in no call
/// of the tool's.
void* with_cancellation_pending(void* passed) {
  compute(10);
  pthread_cancel(pthread_self());
  omp_control_tool(64, 0, const_cast<char*>("a phase"));
  omp_control_tool(omp_control_tool_flush, 0, nullptr);
  omp_control_tool(65, 0, const_cast<char*>("a phase"));
  *static_cast<bool*>(passed) = true;
  pthread_testcancel();
  return nullptr;
}
int thread_is_cancelled() {
  bool passed = false;
  pthread_t thread;
  void* result = nullptr;
  pthread_create(&thread, nullptr, with_cancellation_pending, &passed);
  pthread_join(thread, &result);
  return passed && result == PTHREAD_CANCELED ? 0 : 1;
}

/// A daemon as the books have it: the first process ends, the grandchild works on without a terminal.
int daemonise() {
  if (const pid_t child = fork()) {
    const int status = wait_for(child);
    std::fflush(stdout);
    _exit(status);
  }
  setsid();
  usleep(50'000);  // what the runtime records of this process is not the grandchild's
  if (const pid_t child = fork()) _exit(wait_for(child));
  closing_all_descriptors();
  say("daemon", compute(10));
  return 0;
}

int exec_self(const char* mode) {
  execl("/proc/self/exe", arguments[0], mode, nullptr);
  return 99;
}

int fork_and(const std::function<int()>& child_does) {
  const pid_t child = fork();
  if (child == 0) {
    const int status = child_does();
    std::exit(status);
  }
  say("child ended with", wait_for(child));
  say("parent", compute(20));
  return 0;
}

void in_region(const std::function<void()>& act) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) act();
#pragma omp barrier
  }
}

sigjmp_buf before_fault;

void write_nowhere() {
  *static_cast<volatile int*>(nullptr) = 1;
}

/// The next image, or 127 as shells say.
int spawn(char* const* command) {
  pid_t child = 0;
  if (posix_spawn(&child, command[0], nullptr, nullptr, command, environ) != 0) return 127;
  return wait_for(child);
}

/// Until exec the child runs in its parent's memory, on its parent's thread.
int vfork_and(bool exec) {
  const pid_t child = vfork();
  if (child == 0) {
    if (exec) execl("/bin/true", "true", nullptr);
    _exit(9);
  }
  say("child ended with", wait_for(child));
  say("parent", compute(20));
  return 0;
}

/// Threads are in regions for ever, and the process ends.
void leave_threads_in_regions() {
  for (int i = 0; i < 2; ++i) {
    std::thread([] {
      for (;;) compute(4);
    }).detach();
  }
  usleep(20000);
}

int threads_that_come_and_go() {
  for (int round = 0; round < 50; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([] { compute(8); });
    for (auto& thread : threads) thread.join();
  }
  return 0;
}

/// What is not to return.
int by(void (*end)()) {
  end();
  return 0;
}

const std::map<std::string, std::function<int()>> endings{
    {"return", [] { return 3; }},
    {"exit", [] { return by([] { std::exit(4); }); }},
    {"_exit", [] { return by([] { _exit(5); }); }},
    {"_exit_in_region", [] { return by([] { in_region([] { _exit(5); }); }); }},
    {"exit_in_region", [] { return by([] { in_region([] { std::exit(6); }); }); }},
    {"quick_exit", [] { return by([] { std::quick_exit(7); }); }},
    {"abort", [] { return by([] { std::abort(); }); }},
    {"abort_in_region", [] { return by([] { in_region([] { std::abort(); }); }); }},
    {"terminate", [] { return by([] { std::terminate(); }); }},
    {"segv", [] { return by([] { std::raise(SIGSEGV); }); }},
    {"segv_in_region", [] { return by([] { in_region(write_nowhere); }); }},
    {"segv_in_handler",
     [] {
       std::signal(SIGUSR1, [](int) { write_nowhere(); });
       in_region([] { std::raise(SIGUSR1); });
       return 0;
     }},
    {"segv_handled",
     [] {
       std::signal(SIGSEGV, [](int) { siglongjmp(before_fault, 1); });
       if (sigsetjmp(before_fault, 1) == 0) write_nowhere();
       say("after", compute(40));
       return 0;
     }},
    {"exit_in_handler",
     [] {
       std::signal(SIGTERM, [](int) { _exit(12); });
       in_region([] { std::raise(SIGTERM); });
       return 0;
     }},
    {"sigterm",
     [] {
       kill(getpid(), SIGTERM);
       pause();
       return 0;
     }},
    {"sigkill",
     [] {
       kill(getpid(), SIGKILL);
       pause();
       return 0;
     }},
    {"sigint",
     [] {
       kill(getpid(), SIGINT);
       pause();
       return 0;
     }},
    {"exec", [] { return exec_self("return"); }},
    {"exec_true",
     [] {
       execl("/bin/true", "true", nullptr);
       return 99;
     }},
    {"fork",
     [] {
       return fork_and([] {
         say("child", compute(30));
         return 8;
       });
     }},
    {"fork_without_openmp", [] { return fork_and([] { return 8; }); }},
    {"fork_exec", [] { return fork_and([] { return exec_self("return"); }); }},
    {"fork_exec_true",
     [] {
       return fork_and([] {
         execl("/bin/true", "true", nullptr);
         return 99;
       });
     }},
    {"fork_then_child_is_killed",
     [] {
       return fork_and([] {
         compute(30);
         std::raise(SIGKILL);
         return 0;
       });
     }},
    {"fork_of_a_fork",
     [] {
       return fork_and([] {
         compute(30);
         return fork_and([] {
           compute(5);
           return 9;
         });
       });
     }},
    {"fork_twice",
     [] {
       fork_and([] {
         compute(3);
         return 1;
       });
       return fork_and([] {
         compute(4);
         return 2;
       });
     }},
    {"vfork", [] { return vfork_and(false); }},
    {"vfork_exec", [] { return vfork_and(true); }},
    {"spawn",
     [] {
       char* const command[] = {const_cast<char*>("/proc/self/exe"), const_cast<char*>("return"), nullptr};
       say("child ended with", spawn(command));
       say("parent", compute(20));
       return 0;
     }},
    {"system",
     [] {
       say("system", std::system("exit 3"));
       say("parent", compute(20));
       return 0;
     }},
    {"exec_in_thread",
     [] {
       std::thread([] { std::exit(exec_self("return")); }).join();
       return 99;
     }},
    {"exec_while_others_are_in_regions",
     [] {
       leave_threads_in_regions();
       return exec_self("return");
     }},
    {"exit_while_others_are_in_regions",
     [] {
       leave_threads_in_regions();
       std::exit(4);
       return 0;
     }},
    {"fork_while_others_are_in_regions",
     [] {
       leave_threads_in_regions();
       const pid_t child = fork();
       if (child == 0) _exit(5);
       say("child ended with", wait_for(child));
       return 0;
     }},
    {"fork_in_region",
     [] {
       in_region([] {
         const pid_t child = fork();
         if (child == 0) _exit(7);
         say("child ended with", wait_for(child));
       });
       return 0;
     }},
    {"daemon_function",
     [] {
       // Its parent ends by _exit; a pipe keeps the test until the daemon has ended.
       if (daemon(1, 1) != 0) return 99;
       say("daemon", compute(10));
       return 0;
     }},
    {"daemon", [] { return daemonise(); }},
    {"close_all",
     [] {
       closing_all_descriptors();
       say("after", compute(40));
       return 0;
     }},
    {"pause_hard",
     [] {
       omp_pause_resource_all(omp_pause_hard);
       say("after", compute(40));
       return 0;
     }},
    {"pause_soft",
     [] {
       omp_pause_resource_all(omp_pause_soft);
       say("after", compute(40));
       return 0;
     }},
    {"threads", threads_that_come_and_go},
    {"thread_is_cancelled", thread_is_cancelled},
    {"exit_in_handler_of_flushes",
     []() -> int {
       std::signal(SIGUSR1, [](int) { std::exit(13); });
       std::thread([main = pthread_self()] {
         usleep(30000);
         pthread_kill(main, SIGUSR1);
       }).detach();
       for (;;) omp_control_tool(omp_control_tool_flush, 0, nullptr);
     }},
    {"chdir", [] { return chdir("/") == 0 ? 0 : 1; }},
};

}  // namespace

int main(int argc, char** argv) {
  arguments = argv;
  struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const auto ending = endings.find(argc > 1 ? argv[1] : "");
  if (ending == endings.end()) {
    for (const auto& [name, how] : endings) std::printf("%s\n", name.c_str());
    return 0;
  }
  say("sum", compute(10));
  return ending->second();
}
