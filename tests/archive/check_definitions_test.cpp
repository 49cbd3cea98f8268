// SPDX-License-Identifier: BSD-3-Clause
// D01-D18: each rule of `tracer check` on files and definitions finds its seeded defect, and no other rule does.
#include "sampled_seed.hpp"
#include "seed.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"D01 the anchor has another name",
       {"D01"},
       [](Seed&) {},
       [](const fs::path& dir) {
         for (const char* ending : {".otf2", ".def", ""})
           fs::rename(dir / ("traces" + std::string{ending}), dir / ("mine" + std::string{ending}));
       }},
      {"D02 a region that is not defined", {"D02"}, [](Seed& s) { s.span(0, 1430, 1440, 99); }},
      {"D03 a local definition file is missing",
       {"D03"},
       [](Seed&) {},
       [](const fs::path& dir) { fs::remove(dir / "traces/1.def"); }},
      {"D03 and D04 an event file is cut off",
       {"D03", "D04", "E02"},
       [](Seed&) {},
       [](const fs::path& dir) { fs::resize_file(dir / "traces/2.evt", 90); }},
      {"D04 the anchor announces one location too many",
       {"D04"},
       [](Seed&) {},
       [](const fs::path& dir) {
         replace(dir / "traces.otf2", std::string{"\1\1\3\0\0\0\0\0\0\0", 10}, std::string{"\1\1\4\0\0\0\0\0\0\0", 10});
       }},
      {"D05 no real time", {"D05"}, [](Seed& s) { s.d.clock.realtime = 5; }},
      {"D06 the clock's range is too long", {"D06"}, [](Seed& s) { s.d.clock.length = 600; }},
      {"D06 an event is outside the clock's range", {"D06"}, [](Seed& s) { s.d.clock.length = 499; }},
      {"D07 nobody created the accelerator's group",
       {"D07"},
       [](Seed& s) { s.d.groups_of_locations[1].creating_group = undefined_ref; }},
      {"D08 the device's node is no device", {"D08"}, [](Seed& s) { s.d.nodes[2].domain = NodeDomain::none; }},
      {"D09 two groups of all locations",
       {"D09"},
       [](Seed& s) {
         s.d.groups.push_back({"again", GroupKind::comm_locations, Paradigm::openmp, {0, 1}});
       }},
      {"D10 a communicator before its parent", {"D10"}, [](Seed& s) { s.d.comms[0].parent = 1; }},
      {"D11 a window without a stream",
       {"D11"},
       [](Seed& s) {
         s.d.groups[3].members = {0, 1};
       }},
      {"D12 a metric on another location than its recorder", {"D12"}, [](Seed& s) { s.d.metrics[0].recorder = 1; }},
      {"D13 a name with another line", {"D13"}, [](Seed& s) { s.d.regions[1].begin_line = 5; }},
      {"D14 the same region twice", {"D14"}, [](Seed& s) { s.d.regions[r_free] = s.d.regions[r_alloc]; }},
      {"D15 a region that nobody enters",
       {"D15"},
       [](Seed& s) {
         s.d.regions.push_back(s.d.regions[0]);
         s.d.regions.back().name = s.d.regions.back().canonical = "!$omp parallel @app.c:77";
         s.d.regions.back().begin_line = 77;
       }},
      {"D16 a role of the future", {"D16"}, [](Seed& s) { s.d.regions[r_target].role = static_cast<RegionRole>(77); }},
      {"D17 a property that is neither true nor false",
       {"D17"},
       [](Seed& s) {
         s.d.properties.push_back({"OTF2::THREAD_LOCK_EVENT_COMPLETE", "maybe"});
       }},
      {"D19 an interrupt generator without a period",
       {"D19"},
       name_threads,
       [](const fs::path& dir) {
         put_samples(dir);
         replace(dir / "traces.def", std::string{"\3\x40\x42\x0f", 4}, std::string{"\3\0\0\0", 4});
       }},
      {"D19 a calling context is its own parent",
       {"D19"},
       name_threads,
       [](const fs::path& dir) {
         put_samples(dir);
         call_itself(dir, "save");
       }},
      {"D18 two locations of one name", {"D18"}, [](Seed& s) { s.d.locations[1].name = "Master thread"; }},
  };
  return all;
}

}  // namespace

TEST_CASE("each rule on definitions finds its seeded defect and no other rule does") {
  check_cases(cases(), 'D');
}

TEST_CASE("an archive without locations is not valid") {
  const Scratch scratch;
  SampleTrace nothing;
  nothing.definitions.clock = make_sample().definitions.clock;
  nothing.definitions.nodes.push_back({"machine", "machine", undefined_ref, NodeDomain::machine, {}});
  write_archive(nothing, scratch / "out");
  CHECK(with_outcome(check::check(scratch / "out"), check::Outcome::violated).contains("D07"));
}
