// SPDX-License-Identifier: BSD-3-Clause
// Which end that somebody saw is that of which trace.
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "formats/raw/journal.hpp"
#include "tracer/convert/process_life.hpp"

using namespace tracer;

namespace {

using Facts = std::map<std::string, std::string>;

constexpr std::uint64_t s = 1'000'000'000;

/// It began with its process, at 10 s, unless `process_start` says otherwise.
RecordedProgram recorded(std::uint64_t begin, std::uint64_t last, std::uint64_t process_start = 10 * s) {
  RecordedProgram one;
  one.process_id = 7;
  one.host = "here";
  one.boot = "now\n";
  one.process_start = process_start;
  one.begin = begin;
  one.last = last;
  return one;
}

SeenProcesses seen(std::vector<ProcessEnd> ends) {
  return {"here", "now\n", std::move(ends), {}};
}

}  // namespace

TEST_CASE("a process that nobody else saw end has no more facts than its journal") {
  const RecordedProgram one = recorded(11 * s, 20 * s);
  CHECK(facts_of_life(one, {one}, seen({})).empty());
  CHECK(facts_of_life(one, {one}, seen({{8, 21 * s, 0, 9}})).empty());
}

TEST_CASE("the end of a process is that of its trace, by a signal or with a status") {
  RecordedProgram one = recorded(11 * s, 20 * s);
  CHECK(facts_of_life(one, {one}, seen({{7, 21 * s, 0, 9}})) ==
        Facts{{"PROCESS_END_NS", "21000000000"}, {"ENDED", "signal"}, {"SIGNAL", "9"}});
  CHECK(facts_of_life(one, {one}, seen({{7, 21 * s, 3, 0}})) ==
        Facts{{"PROCESS_END_NS", "21000000000"}, {"ENDED", "without telling"}, {"EXIT_STATUS", "3"}});
  one.has_ended = true;
  CHECK(facts_of_life(one, {one}, seen({{7, 90 * s, 3, 0}})) ==
        Facts{{"PROCESS_END_NS", "90000000000"}, {"EXIT_STATUS", "3"}});
}

TEST_CASE("of the programs of a process, one after the other by exec, the last one has its end") {
  const RecordedProgram first = recorded(11 * s, 20 * s), second = recorded(21 * s, 99 * s);
  for (const ProcessEnd& end : {ProcessEnd{7, 100 * s, 0, 11}, ProcessEnd{7, 100 * s, 3, 0}}) {
    CHECK(facts_of_life(first, {first, second}, seen({end})) == Facts{{"ENDED", "without telling"}});
    CHECK(facts_of_life(second, {first, second}, seen({end})).at("PROCESS_END_NS") == "100000000000");
    CHECK(facts_of_life(second, {first, second}, seen({end})).at("PROGRAM_START_NS") == "20000000000");
  }
  CHECK(facts_of_life(first, {second, first}, seen({})) == Facts{{"ENDED", "without telling"}});
  RecordedProgram finished = first;
  finished.has_ended = true;
  CHECK(facts_of_life(finished, {finished, second}, seen({{7, 100 * s, 3, 0}})).empty());
}

TEST_CASE("of processes that had one number, each has its own end") {
  const RecordedProgram first = recorded(11 * s, 20 * s), second = recorded(51 * s, 60 * s, 50 * s);
  const SeenProcesses both = seen({{7, 21 * s, 0, 9}, {7, 61 * s, 2, 0}});
  CHECK(facts_of_life(first, {first, second}, both).at("SIGNAL") == "9");
  CHECK(facts_of_life(second, {first, second}, both).at("EXIT_STATUS") == "2");
  CHECK(facts_of_life(first, {first, second}, seen({{7, 61 * s, 2, 0}})).empty());
}

TEST_CASE("a process of another host or of another boot that has the number has not the end") {
  RecordedProgram one = recorded(11 * s, 20 * s);
  one.boot = "then\n";
  CHECK(facts_of_life(one, {one}, seen({{7, 21 * s, 0, 9}})).empty());
  one = recorded(11 * s, 20 * s);
  one.host = "there";
  CHECK(facts_of_life(one, {one}, seen({{7, 21 * s, 0, 9}})).empty());
}

TEST_CASE("a process that had been silent for long before its end had become a program that records nothing") {
  const RecordedProgram one = recorded(11 * s, 20 * s);
  CHECK(facts_of_life(one, {one}, seen({{7, 100 * s, 3, 0}})) ==
        Facts{{"ENDED", "without telling"}, {"EXIT_STATUS", "3"}});
}

TEST_CASE("the end of a process that was seen as another program by then is not that of the one before") {
  const RecordedProgram one = recorded(11 * s, 20 * s);
  for (const ProcessEnd& end :
       {ProcessEnd{7, 22 * s, 0, 9}, ProcessEnd{7, 100 * s, 0, 9}, ProcessEnd{7, 100 * s, 3, 0}}) {
    SeenProcesses changed = seen({end});
    changed.changes = {{7, 20 * s}};
    CHECK(facts_of_life(one, {one}, changed) == Facts{{"ENDED", "without telling"}});
    RecordedProgram finished = one;
    finished.has_ended = true;
    CHECK(facts_of_life(finished, {finished}, changed).empty());
    // Another process; before it began to record; its file had another name then, and it went on.
    changed.changes = {{8, 20 * s}, {7, 10 * s}, {7, 15 * s}};
    CHECK(facts_of_life(one, {one}, changed).contains(end.signal != 0 ? "SIGNAL" : "EXIT_STATUS"));
  }
}

TEST_CASE("a program begins when its process was last seen as another one, before it began to record") {
  const RecordedProgram one = recorded(15 * s, 20 * s);
  SeenProcesses changed = seen({});
  changed.changes = {{7, 12 * s}, {7, 14 * s}, {7, 16 * s}, {8, 15 * s}};
  CHECK(facts_of_life(one, {one}, changed) == Facts{{"PROGRAM_START_NS", "14000000000"}});
  changed.host = "there";
  CHECK(facts_of_life(one, {one}, changed).empty());
}

TEST_CASE("a program is what its journal says of it") {
  raw::JournalFile file;
  file.boot = "now\n";
  file.journal.run.process_id = 7;
  file.journal.run.host = "here";
  file.journal.clock = {{1, 11 * s, 1}, {2, 15 * s, 2}, {3, 20 * s, 3}};
  file.journal.facts["RUN::PROCESS_START_NS"] = "10000000000";
  const RecordedProgram one = recorded_program(file);
  CHECK(one.process_id == 7);
  CHECK(one.host == "here");
  CHECK(one.boot == "now\n");
  CHECK(one.process_start == 10 * s);
  CHECK(one.begin == 11 * s);
  CHECK(one.last == 20 * s);
  CHECK_FALSE(one.has_ended);
}
