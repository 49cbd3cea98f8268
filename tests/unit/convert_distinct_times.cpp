// SPDX-License-Identifier: BSD-3-Clause
// A clock by which no two events have one time: what is not an event counts by it, too.
#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tracer/convert/distinct_times.hpp"
#include "tracer/event_source.hpp"
#include "tracer/property_names.hpp"
#include "tracer/thread_end.hpp"

using namespace tracer;

namespace {

/// A process whose second thread ends before it; no events.
class EndedThread final : public EventSource {
 public:
  EndedThread() {
    const std::vector<Property> run = {{properties::run_process_start, "400"}, {properties::run_process_end, "2600"}};
    definitions_.clock.offset = 1000;
    definitions_.clock.length = 1500;
    definitions_.properties = run;
    definitions_.groups_of_locations = {{"Process", LocationGroupKind::process, undefined_ref, undefined_ref, run}};
    definitions_.locations = {
        {"Master thread", LocationKind::cpu_thread, 0, {}},
        {"OMP thread 1", LocationKind::cpu_thread, 0, {{properties::thread_ended, "1700"}, {"other", "1700"}}}};
  }
  const Definitions& definitions() const override { return definitions_; }
  std::uint64_t number_of_events() const override { return 0; }
  void read(EventVisitor&) override {}

 private:
  Definitions definitions_;
};

}  // namespace

TEST_CASE("with distinct times the ends of threads and processes are as long after the begin as before") {
  EndedThread source;
  const DistinctTimes distinct{source};
  const Definitions &before = source.definitions(), &after = distinct.definitions();
  CHECK(after.clock.offset == 0);
  CHECK(thread_end_since(after.locations[1], after.clock.offset) == 700);
  CHECK(thread_end_since(after.locations[1], after.clock.offset) ==
        thread_end_since(before.locations[1], before.clock.offset));
  CHECK(after.locations[1].properties[1].value == "1700");
  for (const auto* properties : {&after.properties, &after.groups_of_locations[0].properties}) {
    REQUIRE(properties->size() == 1);  // the process began before 0
    CHECK(properties->front().name == properties::run_process_end);
    CHECK(properties->front().value == "1600");
  }
}
