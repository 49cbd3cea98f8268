// SPDX-License-Identifier: BSD-3-Clause
// The verdict on threads that share processors, and what to change for fewer.
#include "catch.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "tests/report/known_traces.hpp"
#include "tests/report/reported.hpp"
#include "tracer/cut/part.hpp"
#include "tracer/cut/part_source.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

TEST_CASE("threads without processors are the verdict, and nothing else is advised then") {
  const auto verdict_on = [](const char* processors, const char* online = "2") {
    TraceBuilder trace = imbalance_3_to_1();
    trace.editable().properties.push_back({"TRACER::RUN::PROCESSORS_USABLE", processors});
    trace.editable().properties.push_back({"TRACER::RUN::PROCESSORS_ONLINE", online});
    trace.editable().properties.push_back({"TRACER::RUN::ENV::OMP_NUM_THREADS", "4"});
    for (Location& location : trace.editable().locations) {
      location.properties.push_back({"TRACER::PROCESSOR_NS", "15000000"});
      location.properties.push_back({"TRACER::DELAY_NS", "15000000"});
    }
    const Json report = report_of(trace);
    check_adds_up(report["account"]);
    // Of 15 ms each: waiting is waiting, with a processor or without; only a part of it spun.
    check_near(report["account"]["time"]["descheduled_ns"], 35e6);
    return report["verdict"];
  };
  const Json shared = verdict_on("2");
  CHECK(shared["state"] == "oversubscribed");
  REQUIRE(shared["findings"].size() == 1);
  CHECK(shared["findings"][0]["id"] == "oversubscription");
  CHECK(shared["findings"][0]["advice"].get<std::string>().find("OMP_NUM_THREADS=2") != std::string::npos);
  CHECK(shared["findings"][0]["text"].get<std::string>().find("4 threads share 2 processors:") == 0);
  CHECK(shared["findings"][0]["advice"].get<std::string>().find("kept to") == std::string::npos);
  const Json kept = verdict_on("1", "64");  // a mask, though the machine has enough
  REQUIRE(kept["findings"].size() == 1);
  CHECK(kept["findings"][0]["text"].get<std::string>().find("4 threads share 1 processor:") == 0);
  const std::string advice = kept["findings"][0]["advice"];
  CHECK(advice.find("kept to 1 of the 64 processors") != std::string::npos);
  CHECK(advice.find("allow it 4, or run with OMP_NUM_THREADS=1;") != std::string::npos);
  const Json busy = verdict_on("8");  // others were using the processors
  CHECK(busy["state"] == "ok");
  CHECK(busy["notes"][0]["id"] == "busy-machine");
  CHECK(busy["findings"][0]["sure"] == "low");
  TraceBuilder part = imbalance_3_to_1();  // of which the kernel said nothing
  part.editable().properties.push_back({"TRACER::RUN::PROCESSORS_USABLE", "2"});
  const Json doubtful = report_of(part)["verdict"];
  REQUIRE(doubtful["notes"].size() == 1);
  CHECK(doubtful["notes"][0]["text"].get<std::string>().find(
            "4 threads share 2 processors; this trace does not contain how long") == 0);
  CHECK(doubtful["findings"][0]["sure"] == "low");
  for (const bool is_running : {false, true}) {
    TraceBuilder recent = imbalance_3_to_1();
    recent.editable().properties.push_back({"TRACER::RUN::PROCESSORS_USABLE", "4"});
    recent.editable().properties.push_back({"TRACER::RUN::ENDED", is_running ? "running" : "return"});
    const Json verdict = report_of(recent)["verdict"];
    CHECK(verdict["notes"].size() == (is_running ? 1 : 0));
    CHECK((verdict["findings"][0]["sure"] == "low") == is_running);
  }
}

TEST_CASE("more threads than processors that are bound to fewer of these are told of the binding, of others' none") {
  const auto verdict_on = [](const char* usable, const char* of_process, const char* of_threads) {
    TraceBuilder trace = imbalance_3_to_1();
    auto& properties = trace.editable().properties;
    properties.push_back({"TRACER::RUN::PROCESSORS_USABLE", usable});
    properties.push_back({"TRACER::RUN::PROCESSORS_ONLINE", "2"});
    properties.push_back({"TRACER::RUN::HOST", "node1"});
    if (*of_process != 0) properties.push_back({"TRACER::RUN::PROCESSORS", of_process});
    for (Location& location : trace.editable().locations) {
      if (*of_threads != 0) location.properties.push_back({"TRACER::PROCESSORS", of_threads});
      location.properties.push_back({"TRACER::PROCESSOR_NS", "15000000"});
      location.properties.push_back({"TRACER::DELAY_NS", "15000000"});
    }
    const Json verdict = report_of(trace)["verdict"];
    CHECK(verdict["state"] == "oversubscribed");
    REQUIRE(verdict["findings"].size() == 1);
    return verdict["findings"][0];
  };
  const auto begins = [](const Json& text, const char* with) { return text.get<std::string>().find(with) == 0; };
  const Json bound = verdict_on("2", "", "0");  // OMP_PLACES={0}
  CHECK(
      begins(bound["text"], "4 threads are bound together to processor 0 of node1, and 1 of its 2 processors has no"));
  CHECK(begins(bound["advice"], "Give each thread a place of its own (OMP_PLACES=cores OMP_PROC_BIND=close)"));
  const Json kept = verdict_on("1", "0", "");  // taskset
  CHECK(begins(kept["text"], "4 threads share 1 processor:"));
  CHECK(begins(kept["advice"], "The process is kept to 1 of the 2 processors"));
}

TEST_CASE("of a part it is told how long threads had no processor as of the whole: of all their time") {
  const auto note_on = [](const char* delay, bool in_part) {
    TraceBuilder trace = imbalance_3_to_1();  // of 40 ms
    for (Location& location : trace.editable().locations) {
      location.properties.push_back({"TRACER::PROCESSOR_NS", "500000"});  // threads that mostly sleep
      location.properties.push_back({"TRACER::DELAY_NS", delay});
    }
    trace.set_clock();
    if (!in_part) return note_in(report_of(trace), "busy-machine");
    report::Part part;
    part.from = 2 * ms;
    const auto source = report::part_of(trace, part);
    return note_in(report_of(*source), "busy-machine");
  };
  CHECK(note_on("3000000", false).empty());
  CHECK(note_on("3000000", true).empty());
  CHECK(note_on("8000000", false).find(", 20 % of their time") != std::string::npos);
  CHECK(note_on("8000000", true).find("were without a processor for 20 % of their time") != std::string::npos);
}

TEST_CASE("of a part the host's share is the part's own") {
  const auto stolen_in = [](std::uint64_t from, std::uint64_t to, bool by_time) {
    TraceBuilder trace = imbalance_3_to_1();
    auto& properties = trace.editable().properties;
    properties.push_back({"TRACER::RUN::PROCESS_START_NS", std::to_string(start)});
    properties.push_back({"TRACER::RUN::PROCESS_END_NS", std::to_string(start + 40 * ms)});
    properties.push_back({"TRACER::RUN::PROCESSORS_ONLINE", "4"});
    properties.push_back({"TRACER::RUN::STOLEN_NS", "12000000"});
    if (by_time)  // all of it in the second half
      properties.push_back({"TRACER::RUN::STOLEN_BY_TIME", "20000000:0,40000000:12000000"});
    trace.set_clock();
    report::Part part;
    part.from = from;
    part.to = to;
    const auto source = report::part_of(trace, part);
    return report_of(*source)["run"]["stolen_ns"].get<std::uint64_t>();
  };
  CHECK(stolen_in(0, 20 * ms, true) == 0);
  CHECK(stolen_in(20 * ms, 30 * ms, true) == 6'000'000);
  CHECK(stolen_in(20 * ms, 30 * ms, false) == 3'000'000);  // evenly, where nothing else is known
}

TEST_CASE("more threads than processors of libgomp, which sleep while they wait, are no imbalance") {
  const auto verdict_on = [](const char* runtime, const char* policy) {
    TraceBuilder trace{8};
    const auto parallel = trace.region("parallel", RegionRole::parallel),
               barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
    for (const auto& [name, value] : {std::pair{"TRACER::RUN::PROCESSORS_USABLE", "2"},
                                      {"TRACER::RUN::PROCESSORS_ONLINE", "2"},
                                      {"TRACER::RUN::LIBGOMP::0", runtime},
                                      {"TRACER::RUN::ENV::OMP_WAIT_POLICY", policy}})
      trace.editable().properties.push_back({name, value});
    trace.simple(0, start, EventType::program_begin, 0, 1);
    const std::uint64_t end = start + 144 * ms;
    for (LocationRef thread = 0; thread < 8; ++thread) {  // two at a time, each 36 ms
      const std::uint64_t woken = thread / 2 * 36 * ms;
      trace.team_begin(thread, start + woken, parallel);
      trace.enter(thread, start + woken + 36 * ms, barrier);
      trace.leave(thread, end, barrier);
      trace.team_end(thread, end, parallel);
      auto& properties = trace.editable().locations[thread].properties;
      properties.push_back({"TRACER::PROCESSOR_NS", std::to_string(36 * ms)});
      properties.push_back({"TRACER::DELAY_NS", std::to_string(woken)});
    }
    trace.simple(0, end, EventType::program_end);
    return report_of(trace)["verdict"];
  };
  for (const char* policy : {"passive", "active"}) {
    const Json verdict = verdict_on("8 /lib/libgomp.so.1", policy);
    INFO(verdict.dump(2));
    CHECK(verdict["state"] == "oversubscribed");
    REQUIRE(verdict["findings"].size() == 1);
    CHECK(verdict["findings"][0]["id"] == "oversubscription");
  }
}

TEST_CASE("what has to be changed for fewer threads is where their number comes from") {
  const auto advice_on = [](TraceBuilder trace, const char* omp_num_threads) {
    trace.editable().properties.push_back({"TRACER::RUN::PROCESSORS_USABLE", "2"});
    trace.editable().properties.push_back({"TRACER::RUN::PROCESSORS_ONLINE", "2"});
    if (omp_num_threads != nullptr)
      trace.editable().properties.push_back({"TRACER::RUN::ENV::OMP_NUM_THREADS", omp_num_threads});
    for (Location& location : trace.editable().locations) {
      location.properties.push_back({"TRACER::PROCESSOR_NS", "15000000"});
      location.properties.push_back({"TRACER::DELAY_NS", "15000000"});
    }
    const Json verdict = report_of(trace)["verdict"];
    REQUIRE(verdict["findings"].size() == 1);
    CHECK(verdict["findings"][0]["id"] == "oversubscription");
    return verdict["findings"][0]["advice"].get<std::string>();
  };
  CHECK(advice_on(imbalance_3_to_1(), "4").find("Run with OMP_NUM_THREADS=2, or on more") == 0);
  for (const char* other : {"8", static_cast<const char*>(nullptr)}) {
    const std::string advice = advice_on(imbalance_3_to_1(), other);
    CHECK(advice.find("Run with 2 threads (the program itself requests 4, by num_threads at parallel") == 0);
  }
  TraceBuilder nested{4};
  const auto parallel = nested.region("parallel", RegionRole::parallel),
             inner = nested.region("parallel", RegionRole::parallel, 12);
  auto& definitions = nested.editable();
  definitions.groups[1].members = {0, 1};
  for (const std::uint32_t first : {0u, 1u}) {
    definitions.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {first, first + 2}});
    definitions.comms.push_back(
        {"Thread team", static_cast<std::uint32_t>(definitions.groups.size() - 1), undefined_ref});
  }
  nested.simple(0, start, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) nested.team_begin(thread, start, parallel);
  for (const LocationRef thread : {0u, 1u, 2u, 3u}) {
    if (thread == 1) nested.simple(1, start + ms, EventType::thread_fork, 0, 2);
    nested.team_begin(thread, start + ms, inner, 1 + thread % 2);
    nested.team_end(thread, start + 40 * ms, inner, 1 + thread % 2);
    if (thread == 1) nested.simple(1, start + 40 * ms, EventType::thread_join);
  }
  for (const LocationRef thread : {0u, 1u}) nested.team_end(thread, start + 41 * ms, parallel);
  nested.simple(0, start + 42 * ms, EventType::program_end);
  CHECK(advice_on(std::move(nested), "2")
            .find("Run with OMP_NUM_THREADS=2,1 or OMP_MAX_ACTIVE_LEVELS=1 (parallel regions are nested, 2 deep,") ==
        0);
  const auto two_programs = [] {  // two threads of the program's own, each with a team of two
    TraceBuilder trace{4};
    const auto region = trace.region("parallel", RegionRole::parallel);
    auto& own = trace.editable();
    for (const std::uint32_t first : {0u, 1u}) {
      own.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {first, first + 2}});
      own.comms.push_back({"Thread team", static_cast<std::uint32_t>(own.groups.size() - 1), undefined_ref});
    }
    trace.simple(0, start, EventType::program_begin, 0, 1);
    for (const LocationRef thread : {0u, 1u, 2u, 3u}) {
      if (thread == 1) trace.simple(1, start + ms, EventType::thread_fork, 0, 2);
      trace.team_begin(thread, start + ms, region, 1 + thread % 2);
      trace.team_end(thread, start + 40 * ms, region, 1 + thread % 2);
      if (thread == 1) trace.simple(1, start + 40 * ms, EventType::thread_join);
    }
    trace.simple(0, start + 42 * ms, EventType::program_end);
    return trace;
  };
  CHECK(advice_on(two_programs(), "2")
            .find("Run with OMP_NUM_THREADS=1 (2 threads of the program have teams of up to 2 at the same time), or") ==
        0);
  CHECK(advice_on(two_programs(), "8")
            .find("Run with 1 thread for each of its 2 teams (the program itself requests 2, by num_threads at") == 0);
}
