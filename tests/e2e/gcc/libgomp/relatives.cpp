// SPDX-License-Identifier: BSD-3-Clause
// Who calls OpenMP, and from where: pools of threads, threads that end, stacks of a program's own, code in no file,
// libstdc++, before main and after it, behind a pause; regions in regions, children, events that others fulfil.
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <parallel/algorithm>
#include <parallel/numeric>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace {

std::atomic<long> total{0};

long region(int threads) {
  long sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < 20; ++i) sum += i;
#pragma omp single
    for (int i = 0; i < 3; ++i) {
#pragma omp task
      total += i;
    }
  }
  return sum;
}

struct BeforeMain {
  long sum;
  BeforeMain() : sum(region(2)) {}
  ~BeforeMain() { std::printf("after main %ld\n", region(2)); }
} before_main;

/// A pool that hands work to threads of its own, each of which has a team.
void pool() {
  std::queue<int> work;
  std::mutex mutex;
  std::condition_variable is_there;
  bool is_over = false;
  std::atomic<long> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (;;) {
        std::unique_lock<std::mutex> lock(mutex);
        is_there.wait(lock, [&] { return is_over || !work.empty(); });
        if (work.empty()) return;
        const int n = work.front();
        work.pop();
        lock.unlock();
        sum += region(1 + n % 3);
      }
    });
  for (int n = 0; n < 30; ++n) {
    const std::lock_guard<std::mutex> lock(mutex);
    work.push(n);
    is_there.notify_one();
  }
  {
    const std::lock_guard<std::mutex> lock(mutex);
    is_over = true;
  }
  is_there.notify_all();
  for (auto& thread : threads) thread.join();
  auto one = std::async(std::launch::async, region, 2), other = std::async(std::launch::async, region, 3);
  std::printf("pool %ld %ld\n", sum.load(), one.get() + other.get());
}

void paused() {
  for (int i = 0; i < 3; ++i) {
    const long sum = region(4);
    const int soft = omp_pause_resource_all(omp_pause_soft), hard = omp_pause_resource_all(omp_pause_hard);
    std::printf("paused %ld %d %d\n", sum, soft, hard);
  }
  std::printf("inside %ld\n", region(2));
}

/// Tasks and regions on stacks of the program's own, which it leaves and comes back to.
ucontext_t main_context, contexts[2];
int turns = 0;
void routine(int which) {
  for (int i = 0; i < 5; ++i) {
#pragma omp task if (0)
    {
      total += which;
      ++turns;
    }
    total += region(1);
    swapcontext(&contexts[which], which == 0 ? &contexts[1] : &main_context);
  }
}
void routines() {
  static char stacks[2][256 * 1024];
  for (int i = 0; i < 2; ++i) {
    getcontext(&contexts[i]);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = sizeof stacks[i];
    contexts[i].uc_link = &main_context;
    makecontext(&contexts[i], reinterpret_cast<void (*)()>(routine), 1, i);
  }
  for (int i = 0; i < 5; ++i) swapcontext(&main_context, &contexts[0]);
  std::printf("routines %d\n", turns);
}

/// Regions in regions, more than two deep.
long nested(int depth) {
  if (depth == 0) return 1;
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += nested(depth - 1);
  return sum;
}
long recursive(int n) {
  long a = 0, b = 0;
  if (n < 2) return n;
#pragma omp parallel sections num_threads(1 + n % 2) if (n > 8)
  {
#pragma omp section
    a = recursive(n - 1);
#pragma omp section
    b = recursive(n - 2);
  }
  return a + b;
}

pthread_key_t key;
void at_threads_end(void* threads) {
  total += region(static_cast<int>(reinterpret_cast<std::intptr_t>(threads)));
}
void thread_ends() {
  pthread_key_create(&key, at_threads_end);
  for (int i = 0; i < 3; ++i)
    std::thread([] {
      total += region(2);
      pthread_setspecific(key, reinterpret_cast<void*>(2));
    }).join();
}

void children() {
  int status = 0;
  std::atomic<int> ended{0};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    {
      pid_t pid = 0;
      char name[] = "true";
      char* words[] = {name, nullptr};
      if (posix_spawn(&pid, "/bin/true", nullptr, nullptr, words, environ) == 0) waitpid(pid, &status, 0);
      ended += 1 + std::system("exit 3") / 256;
    }
  }
  std::printf("children %d %d\n", status, ended.load());
}

void events() {
#if __GNUC__ >= 11
  std::atomic<int> done{0};
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 10; ++i) {
    omp_event_handle_t event;
#pragma omp task detach(event) shared(done) depend(inout : done)
    {
      done += 1;
      omp_fulfill_event(event);
    }
  }
  std::printf("events %d\n", done.load());
#endif
}

/// Events of tasks that threads of the program's own fulfil, behind the end of the tasks' code.
void late_events() {
#if __GNUC__ >= 11
  std::vector<std::thread> others;
  int order = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    for (int i = 0; i < 6; ++i) {
      omp_event_handle_t event;
#pragma omp task detach(event) shared(order, others) depend(inout : order)
      {
        others.emplace_back([event] {
          usleep(1000);
          omp_fulfill_event(event);
        });
        ++order;
      }
    }
#pragma omp taskwait
    std::printf("late events %d\n", order);
  }
  for (auto& other : others) other.join();
#endif
}

/// Algorithms of libstdc++ that are parallel by OpenMP.
void algorithms() {
  __gnu_parallel::_Settings settings;
  settings.algorithm_strategy = __gnu_parallel::force_parallel;
  __gnu_parallel::_Settings::set(settings);
  std::vector<int> numbers(20000), sums(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 20011);
  __gnu_parallel::sort(numbers.begin(), numbers.end());
  __gnu_parallel::for_each(numbers.begin(), numbers.end(), [](int& number) { number += 1; });
  __gnu_parallel::partial_sum(numbers.begin(), numbers.end(), sums.begin());
  __gnu_parallel::nth_element(numbers.begin(), numbers.begin() + 100, numbers.end());
  std::printf("algorithms %d %d\n", sums.back(), numbers[100]);
}

/// Code that is in no file, as a just-in-time compiler's, calls libgomp.
void compiled_in_time() {
#ifdef __x86_64__
  using Parallel = void (*)(void (*)(void*), void*, unsigned, unsigned);
  void* const parallel = dlsym(RTLD_DEFAULT, "GOMP_parallel");
  unsigned char code[] = {0x48, 0x83, 0xec, 8,                    // sub $8, %rsp
                          0x48, 0xb8, 0,    0, 0, 0, 0, 0, 0, 0,  // mov $parallel, %rax
                          0xff, 0xd0,                             // call *%rax
                          0x48, 0x83, 0xc4, 8,                    // add $8, %rsp
                          0xc3};
  std::memcpy(code + 6, &parallel, sizeof parallel);
  void* const memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  std::memcpy(memory, code, sizeof code);
  std::atomic<int> seen{0};
  for (int i = 0; i < 3; ++i)
    reinterpret_cast<Parallel>(memory)([](void* counter) { ++*static_cast<std::atomic<int>*>(counter); }, &seen, 3, 0);
  munmap(memory, 4096);
  std::printf("compiled in time %d\n", seen.load());
#endif
}

}  // namespace

int main() {
  std::printf("before main %ld\n", before_main.sum);
  omp_set_max_active_levels(3);
  omp_set_dynamic(0);
  pool();
  paused();
  routines();
  std::printf("nested %ld, recursive %ld\n", nested(5), recursive(12));
  thread_ends();
  children();
  events();
  late_events();
  algorithms();
  compiled_in_time();
  std::printf("total %ld\n", total.load());
}
