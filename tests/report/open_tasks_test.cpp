// SPDX-License-Identifier: BSD-3-Clause
// The table of open tasks and the pool that they come from, against a map.
#include "tracer/replay/open_tasks.hpp"

#include <map>
#include <random>
#include <tuple>

#include "catch.hpp"

using tracer::report::OpenTasks;
using tracer::report::Task;
using tracer::report::TaskKey;
using tracer::report::TaskPool;
using tracer::report::TaskRef;

TEST_CASE("open tasks are found by what events call them, whatever came and went before") {
  std::mt19937_64 random{20261125};
  TaskPool pool;
  OpenTasks open;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, Task*> known;
  // Few numbers, and such as differ in the upper bits only, meet often.
  const auto some = [&]() -> TaskKey {
    return {static_cast<std::uint32_t>(random() % 3), static_cast<std::uint32_t>(random() % 2),
            random() % 2 == 0 ? random() % 200 : random() % 40 << 52};
  };
  for (int i = 0; i < 200'000; ++i) {
    const TaskKey key = some();
    const auto found = known.find({key.comm, key.rank, key.generation});
    if (random() % 2 == 0) {
      TaskRef& task = open[key];
      REQUIRE(task.get() == (found == known.end() ? nullptr : found->second));
      if (task == nullptr) task = pool.make();
      known[{key.comm, key.rank, key.generation}] = task.get();
    } else {
      const TaskRef task = open.take(key);
      REQUIRE(task.get() == (found == known.end() ? nullptr : found->second));
      if (found != known.end()) known.erase(found);
    }
  }
  std::size_t left = 0;
  open.for_each([&](const Task&) { ++left; });
  REQUIRE(left == known.size());
}

TEST_CASE("a task that is used again has nothing of the one before") {
  TaskPool pool;
  Task* before = nullptr;
  {
    const TaskRef parent = pool.make(), task = pool.make();
    before = task.get();
    task->parent = parent;
    task->number = task->id = task->created = task->active = task->waited = task->barriers = 7;
    task->team = std::make_shared<tracer::report::Team>();
    task->is_explicit = task->started = task->completed = task->discarded = true;
    task->region = task->created_on = task->creation = task->location = 3;
    task->stack.push();
    task->after.push_back(parent);
    task->path.ns = task->chain.ns = task->children.tasks = task->descendants.tasks = 9;
  }
  TaskRef again;
  std::vector<TaskRef> others;
  for (int i = 0; i < 64 && again.get() != before; ++i) others.push_back(again = pool.make());
  REQUIRE(again.get() == before);
  CHECK((again->parent == nullptr && again->stack.empty() && again->after.empty() && again->team == nullptr));
  CHECK(again->number + again->id + again->created + again->active + again->waited + again->barriers == 0);
  CHECK_FALSE((again->is_explicit || again->started || again->completed || again->discarded));
  CHECK((again->region == tracer::undefined_ref && again->created_on == tracer::undefined_ref && again->location == 0));
  CHECK(again->creation == tracer::undefined_ref);
  CHECK(again->path.ns + again->chain.ns + again->children.tasks + again->descendants.tasks == 0);
}

TEST_CASE("a million tasks that were made in each other, or wait for each other in a circle, go without a deep stack") {
  TaskPool pool;
  constexpr int many = 1'000'000;
  for (const bool in_each_other : {true, false}) {
    const TaskRef first = pool.make();
    TaskRef last = first;
    for (int i = 0; i < many; ++i) {
      TaskRef next = pool.make();
      if (in_each_other)
        next->parent = last;
      else
        next->after.push_back(last);
      last = next;
    }
    if (!in_each_other) first->after.push_back(last);  // which no right archive says
  }
  SUCCEED();
}
