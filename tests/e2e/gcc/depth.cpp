// SPDX-License-Identifier: BSD-3-Clause
// Constructs whose code runs inside of the call to libgomp, each nested in itself: prints how much of the stack a level
// takes. A word picks one; without, all. Each recursion is run on a thread with a large stack.
#include <omp.h>
#include <pthread.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int most = 100000, first = 50;
int last = 300;
std::size_t stack = 16 << 20;
char* place[2];

/// Of the frame that a level begins with.
[[gnu::noinline]] bool goes_on(int level) {
  char* const here = static_cast<char*>(__builtin_frame_address(0));
  if (level == first) place[0] = here;
  if (level == last) place[1] = here;
  return level < last;
}

struct Large {
  char bytes[200];
};
struct Copied {
  int level;
  explicit Copied(int n) : level(n) {}
  Copied(const Copied& other) : level(other.level) {}
};
int dependence[most + 1];

#define TRACER_DEPTH(name, construct)      \
  [[gnu::noinline]] void name(int level) { \
    if (!goes_on(level)) return;           \
    _Pragma(construct) {                   \
      name(level + 1);                     \
    }                                      \
    __asm__ volatile("" ::: "memory");     \
  }
TRACER_DEPTH(if_false, "omp task if(0)")
TRACER_DEPTH(deferrable, "omp task")
TRACER_DEPTH(final_task, "omp task final(1)")
TRACER_DEPTH(untied, "omp task untied mergeable")
TRACER_DEPTH(depends, "omp task if(0) depend(inout: dependence[level])")
TRACER_DEPTH(region, "omp parallel num_threads(1)")
TRACER_DEPTH(region_if, "omp parallel if(0)")
TRACER_DEPTH(region_sections, "omp parallel sections num_threads(1)")
TRACER_DEPTH(target, "omp target map(to: place)")
#undef TRACER_DEPTH

[[gnu::noinline]] void awaited(int level) {
  if (!goes_on(level)) return;
#pragma omp task
  awaited(level + 1);
#pragma omp taskwait
}
[[gnu::noinline]] void awaited_dependence(int level) {
  if (!goes_on(level)) return;
#pragma omp task depend(out : dependence[level])
  awaited_dependence(level + 1);
#pragma omp taskwait depend(in : dependence[level])
}
[[gnu::noinline]] void grouped(int level) {
  if (!goes_on(level)) return;
#pragma omp taskgroup
  {
#pragma omp task
    grouped(level + 1);
  }
}
[[gnu::noinline]] void reduced(int level) {
  if (!goes_on(level)) return;
  int sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  {
#pragma omp task in_reduction(+ : sum)
    {
      reduced(level + 1);
      sum += 1;
    }
  }
  __asm__ volatile("" ::"r"(sum));
}
[[gnu::noinline]] void large(int level) {
  if (!goes_on(level)) return;
  Large block{};
  block.bytes[level % 200] = 1;
#pragma omp task if (0) firstprivate(block)
  {
    __asm__ volatile("" ::"r"(&block) : "memory");
    large(level + 1);
  }
}
[[gnu::noinline]] void copied(int level) {
  if (!goes_on(level)) return;
  Copied copy(level);
#pragma omp task if (0) firstprivate(copy)
  copied(copy.level + 1);
}
#if __GNUC__ >= 11
[[gnu::noinline]] void detached(int level) {
  if (!goes_on(level)) return;
  omp_event_handle_t event;
#pragma omp task detach(event)
  {
    omp_fulfill_event(event);
    detached(level + 1);
  }
#pragma omp taskwait
}
#endif
[[gnu::noinline]] void loop_of_tasks(int level) {
  if (!goes_on(level)) return;
#pragma omp taskloop num_tasks(1)
  for (int i = 0; i < 2; ++i)
    if (i == 1) loop_of_tasks(level + 1);
}
[[gnu::noinline]] void loop_if_false(int level) {
  if (!goes_on(level)) return;
#pragma omp taskloop if (0)
  for (int i = 0; i < 1; ++i) loop_if_false(level + 1);
}
[[gnu::noinline]] void loop_region(int level) {
  if (!goes_on(level)) return;
#pragma omp parallel for schedule(dynamic) num_threads(1)
  for (int i = 0; i < 1; ++i) loop_region(level + 1);
}
[[gnu::noinline]] void reduced_region(int level) {
  if (!goes_on(level)) return;
  int sum = 0;
#pragma omp parallel reduction(task, + : sum) num_threads(1)
  reduced_region(level + 1);
}

/// So many tasks wait that libgomp runs each further one at once.
[[gnu::noinline]] void with_full_queue(void (*deep)(int)) {
  for (int i = 0; i < 70; ++i) {
#pragma omp task
    __asm__ volatile("");
  }
  deep(0);
}

struct Case {
  const char* name;
  void (*deep)(int);
  enum { bare, in_team, behind_full_queue } where;
};
constexpr Case cases[] = {
    {"if-false", if_false, Case::in_team},
    {"if-false-alone", if_false, Case::bare},
    {"alone", deferrable, Case::bare},
    {"full-queue", deferrable, Case::behind_full_queue},
    {"untied", untied, Case::behind_full_queue},
    {"final", final_task, Case::in_team},
    {"depends", depends, Case::in_team},
    {"large", large, Case::in_team},
    {"copied", copied, Case::in_team},
#if __GNUC__ >= 11
    {"detached", detached, Case::in_team},
#endif
    {"reduced", reduced, Case::in_team},
    {"taskwait", awaited, Case::in_team},
    {"taskwait-depend", awaited_dependence, Case::in_team},
    {"taskgroup", grouped, Case::in_team},
    {"taskloop", loop_of_tasks, Case::in_team},
    {"taskloop-if-false", loop_if_false, Case::in_team},
    {"region", region, Case::bare},
    {"region-if", region_if, Case::bare},
    {"region-sections", region_sections, Case::bare},
    {"region-loop", loop_region, Case::bare},
    {"region-reduction", reduced_region, Case::bare},
    {"target", target, Case::bare},
};

void* run(void* argument) {
  const Case& one = *static_cast<const Case*>(argument);
  place[0] = place[1] = nullptr;
  if (one.where == Case::bare) {
    one.deep(0);
  } else {
#pragma omp parallel num_threads(1)
    {
      if (one.where == Case::in_team)
        one.deep(0);
      else
        with_full_queue(one.deep);
    }
  }
  std::printf("%s %ld\n", one.name, static_cast<long>(place[0] - place[1]) / (last - first));
  return nullptr;
}

}  // namespace

int main(int count, char** words) {
  if (count > 3) {
    last = std::atoi(words[2]);
    stack = std::strtoul(words[3], nullptr, 10);
    if (last <= first || last > most) return EXIT_FAILURE;
  }
  for (const Case& one : cases) {
    if (count > 1 && std::strcmp(words[1], one.name) != 0) continue;
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, stack) != 0) return EXIT_FAILURE;
    if (pthread_create(&thread, &attributes, run, const_cast<Case*>(&one)) != 0) return EXIT_FAILURE;
    pthread_join(thread, nullptr);
  }
  return EXIT_SUCCESS;
}
