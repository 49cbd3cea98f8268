// SPDX-License-Identifier: BSD-3-Clause
// Archives written again, whole or of a part: what of them stays.
#include <cstdint>
#include <string>
#include <vector>

#include "again.hpp"
#include "formats/otf2/read/event_source.hpp"
#include "formats/otf2/read/reader.hpp"
#include "formats/otf2/write/sink.hpp"
#include "mpi_seed.hpp"
#include "seed.hpp"
#include "tracer/convert/rewrite.hpp"
#include "tracer/cut/part.hpp"
#include "tracer/cut/part_source.hpp"

using namespace tracer;
using namespace tracer::test;

TEST_CASE("a real time that is unknown stays unknown in a part, a known one is that of the part's begin") {
  constexpr std::uint64_t known = 1'700'000'000'000'000'000, from = 100;
  for (const std::uint64_t realtime : {known, ClockProperties::unknown_realtime}) {
    const Scratch scratch;
    Seed seed;
    seed.d.clock.realtime = realtime;
    write_archive(seed.trace, scratch / "out");
    report::Part part;
    part.from = from;
    const auto source = otf2::open_archive(scratch / "out");
    rewrite(*report::part_of(*source, part), *make_otf2_sink(scratch / "part"));
    const auto report = check::check(scratch / "part");
    INFO(explain(report));
    CHECK(with_outcome(report, check::Outcome::violated).count("D05") == 0);
    CHECK(otf2::Trace::open(scratch / "part").definitions().clock.realtime ==
          (realtime == known ? known + from : realtime));
  }
}

TEST_CASE("handles of other paradigms than MPI, opened by nobody and of no file, stay what they are") {
  constexpr std::uint32_t pre_created = 1;
  const Scratch scratch;
  Seed seed;
  seed.d.io_paradigms = {{"POSIX", "POSIX I/O", false}};
  seed.d.io_handles = {{"stdin", undefined_ref, undefined_ref, 0, pre_created}};
  seed.insert(0, write_on(0, 1410, 8));
  seed.insert(0, event(1420, EventType::io_operation_complete, 0, 8, 8));
  write_archive(seed.trace, scratch / "out");
  write_again(scratch / "out", scratch / "again");
  for (const char* name : {"out", "again"}) {
    const auto report = check::check(scratch / name);
    INFO(name << "\n" << explain(report));
    CHECK(report.valid());
    const auto trace = otf2::Trace::open(scratch / name);
    const otf2::TraceDefinitions& d = trace.definitions();
    REQUIRE(d.io_handles.size() == 1);
    const otf2::IoHandleDef& handle = *d.io_handles.find(0);
    CHECK(handle.flags == pre_created);
    CHECK(handle.file == undefined_ref);
    std::string paradigm;
    for (const auto& one : d.io_paradigms)
      if (one.ref == handle.paradigm) paradigm = d.text(one.identification);
    CHECK(paradigm == "POSIX");
  }
}

TEST_CASE("a metric keeps its mode") {
  constexpr std::uint8_t absolute_last = 33;
  const Scratch scratch;
  Seed seed;
  seed.d.metrics[0].mode = absolute_last;
  write_archive(seed.trace, scratch / "out");
  write_again(scratch / "out", scratch / "again");
  const auto trace = otf2::Trace::open(scratch / "again");
  for (const auto& member : trace.definitions().metric_members) CHECK(member.mode == absolute_last);
  CHECK(check::check(scratch / "again").valid());
}

TEST_CASE("paradigms keep their properties") {
  const Scratch scratch;
  write_archive(make_sample(), scratch / "out");
  write_again(scratch / "out", scratch / "again");
  const auto source = otf2::open_archive(scratch / "again/traces.otf2");
  const std::vector<ParadigmDefinition>& paradigms = source->definitions().paradigms;
  REQUIRE(paradigms.size() == 2);
  CHECK(paradigms[0].comm_name_template == "Thread team ${id}");
  CHECK_FALSE(paradigms[0].rma_only);
  CHECK(paradigms[1].rma_only);
}
