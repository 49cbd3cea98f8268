// SPDX-License-Identifier: BSD-3-Clause
// What copies of other tools' archives keep of their definitions, and what they leave out.
#include <otf2/otf2.h>

#include <cstdint>
#include <string>
#include <vector>

#include "foreign.hpp"
#include "formats/otf2/read/event_source.hpp"
#include "formats/otf2/read/reader.hpp"
#include "formats/otf2/write/sink.hpp"
#include "seed.hpp"
#include "tracer/convert/rewrite.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

void write_again(const fs::path& from, const fs::path& to) {
  const auto source = otf2::open_archive(from / "traces.otf2");
  rewrite(*source, *make_otf2_sink(to));
}

void call(ForeignArchive& archive) {
  OTF2_EvtWriter_Enter(archive.events(), nullptr, 1000, ForeignArchive::region);
  OTF2_EvtWriter_Leave(archive.events(), nullptr, 1100, ForeignArchive::region);
}

}  // namespace

TEST_CASE(
    "groups of locations and of regions stay what they are in a copy, and those of unknown members are left out") {
  const Scratch scratch;
  ForeignArchive archive{scratch / "0"};
  call(archive);
  archive.group(2, OTF2_GROUP_TYPE_LOCATIONS, OTF2_PARADIGM_UNKNOWN, {ForeignArchive::location});
  archive.group(3, OTF2_GROUP_TYPE_METRIC, OTF2_PARADIGM_UNKNOWN, {7});
  archive.group(5, OTF2_GROUP_TYPE_UNKNOWN, OTF2_PARADIGM_UNKNOWN, {1000});
  archive.group(6, OTF2_GROUP_TYPE_REGIONS, OTF2_PARADIGM_UNKNOWN, {ForeignArchive::region});
  archive.group(7, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, {ForeignArchive::location});
  archive.group(9, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, {0});
  OTF2_GlobalDefWriter_WriteComm(archive.definitions(), 4, archive.string("world"), 9, OTF2_UNDEFINED_COMM,
                                 OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS);
  archive.finish();
  write_again(scratch / "0", scratch / "1");
  const auto trace = otf2::Trace::open(scratch / "1");
  const otf2::TraceDefinitions& d = trace.definitions();
  REQUIRE(d.groups.size() == 4);
  const std::vector<std::uint8_t> types = {OTF2_GROUP_TYPE_LOCATIONS, OTF2_GROUP_TYPE_REGIONS,
                                           OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_GROUP_TYPE_COMM_GROUP};
  const std::vector<std::uint64_t> members = {0, 1, 0, 0};
  for (std::size_t i = 0; i < types.size(); ++i) {
    INFO("group " << i);
    CHECK(d.groups[i].type == types[i]);
    CHECK(d.groups[i].members == std::vector<std::uint64_t>{members[i]});
  }
  REQUIRE(d.comms.size() == 1);
  CHECK(d.comms[0].group == 3);
  CHECK(d.comms[0].flags == OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS);
  const auto report = check::check(scratch / "1");
  INFO(explain(report));
  for (const char* rule : {"D02", "D09"}) CHECK(with_outcome(report, check::Outcome::violated).count(rule) == 0);
}
