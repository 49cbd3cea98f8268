// SPDX-License-Identifier: BSD-3-Clause
// Tasks of a runtime that does not report which of them wait for which (libgomp): reports follow the variables they
// name.
#include "catch.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/report/reported.hpp"
#include "tests/report/trace_builder.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

struct Named {
  std::vector<std::pair<std::string, std::uint64_t>> variables;  ///< "INOUT", address
};

/// Two threads; the first creates all tasks at once, which run one after the other for 10 ms each.
Json report_on(const std::vector<Named>& tasks) {
  TraceBuilder trace{2};
  Definitions& d = trace.editable();
  const auto attribute = [&d](const std::string& kind) {
    for (std::uint32_t i = 0; i < d.attributes.size(); ++i)
      if (d.attributes[i].name == "DEPEND_" + kind) return i;
    d.attributes.push_back({"DEPEND_" + kind, "", ValueType::uint64});
    return static_cast<std::uint32_t>(d.attributes.size() - 1);
  };
  const RegionRef parallel = trace.region("parallel", RegionRole::parallel),
                  barrier = trace.region("implicit barrier wait", RegionRole::implicit_barrier, 10),
                  create = trace.region("create task", RegionRole::task_create, 12),
                  task = trace.region("task", RegionRole::task, 12);
  trace.simple(0, ms, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, ms, parallel);
  trace.enter(1, ms, barrier);
  std::uint64_t now = 2 * ms;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    std::vector<EventAttribute> attributes{{0, i + 1}};
    for (const auto& [kind, address] : tasks[i].variables) attributes.push_back({attribute(kind), address});
    trace.enter(0, now, create);
    trace.add(0, {.time = now, .type = EventType::task_create, .attributes = 0, .sub = 0, .ref = 0, .a = 0, .b = i + 1},
              attributes);
    trace.leave(0, now, create);
  }
  trace.enter(0, now, barrier);
  for (std::size_t i = 0; i < tasks.size(); ++i, now += 10 * ms) trace.run_task(0, now, now + 10 * ms, task, 0, i + 1);
  for (const LocationRef thread : {0u, 1u}) {
    trace.leave(thread, now, barrier);
    trace.team_end(thread, now, parallel);
  }
  trace.simple(0, now, EventType::program_end);
  trace.set_clock();
  return report_of(trace);
}

std::uint64_t dependences(const std::vector<Named>& tasks) {
  return report_on(tasks)["tasks"]["dependences"];
}

}  // namespace

TEST_CASE("a chain of tasks that name the same variable is no queue of tasks that could be run") {
  const Json chain = report_on(std::vector<Named>(20, {{{"INOUT", 64}}}));
  CHECK(chain["tasks"]["dependences"] == 19);
  CHECK(chain["tasks"]["graph"]["chain_tasks"] == 20);
  CHECK(chain["account"]["time"]["starvation_ns"] >= 190 * ms);
  CHECK(chain["verdict"]["findings"][0]["id"] == "starvation");
  CHECK(chain["verdict"]["findings"][0]["text"].get<std::string>().find("one after the other") != std::string::npos);
  const Json free = report_on(std::vector<Named>(20));
  CHECK(free["tasks"]["dependences"] == 0);
  CHECK(free["account"]["time"]["tasking_ns"] >= 190 * ms);
}

TEST_CASE("dependences follow OpenMP's rules for what tasks name") {
  CHECK(dependences({{{{"OUT", 1}}}, {{{"IN", 1}}}, {{{"IN", 1}}}, {{{"INOUT", 1}}}}) ==
        4);  // readers beside each other
  CHECK(dependences({{{{"IN", 1}}}, {{{"IN", 1}}}}) == 0);
  CHECK(dependences({{{{"OUT", 1}}}, {{{"OUT", 2}}}, {{{"IN", 1}, {"IN_2", 2}}}}) == 2);  // several of a kind
  CHECK(dependences({{{{"OUT", 1}, {"OUT_2", 2}}}, {{{"IN", 1}, {"INOUT", 2}}}}) == 1);   // the same task twice
  CHECK(dependences({{{{"IN", 1}, {"IN_2", 1}}}, {{{"OUT", 1}}}}) == 1);
  CHECK(dependences({{{{"INOUT", 1}, {"IN", 1}}}}) == 0);  // itself
  CHECK(dependences({{{{"OUT", 1}}}, {{{"MUTEXINOUTSET", 1}}}, {{{"MUTEXINOUTSET", 1}}}, {{{"IN", 1}}}}) == 4);
  CHECK(dependences({{{{"OUT", 1}}}, {{{"INOUTSET", 1}}}, {{{"INOUTSET", 1}}}, {{{"IN", 1}}}}) == 4);
}

TEST_CASE("a task that names omp_all_memory waits for all that name something, and those after it wait for it") {
  const Named all{{{"INOUT_ALL_MEMORY", 0}}}, one{{{"OUT", 1}}}, two{{{"IN", 2}}}, nothing{};
  CHECK(dependences({one, two, nothing, all}) == 2);
  CHECK(dependences({all, two, nothing, one}) == 2);
  CHECK(dependences({one, all, two, all}) == 3);
  CHECK(dependences({all, all, {{{"OUT_ALL_MEMORY", 0}}}}) == 2);
  CHECK(dependences({one, {{{"INOUT_ALL_MEMORY", 0}, {"IN", 1}}}}) == 1);
}
