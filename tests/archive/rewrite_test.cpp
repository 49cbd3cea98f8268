// SPDX-License-Identifier: BSD-3-Clause
// Archives written again, whole or of a part: what of them stays.
#include <cstdint>

#include "formats/otf2/read/event_source.hpp"
#include "formats/otf2/read/reader.hpp"
#include "formats/otf2/write/sink.hpp"
#include "seed.hpp"
#include "tracer/convert/rewrite.hpp"
#include "tracer/cut/part.hpp"
#include "tracer/cut/part_source.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

void write_again(const fs::path& from, const fs::path& to, const report::Part& part = {}) {
  const auto source = otf2::open_archive(from);
  const auto cut = report::part_of(*source, part);
  const auto sink = make_otf2_sink(to, {});
  rewrite(*cut, *sink);
}

}  // namespace

TEST_CASE("a real time that is unknown stays unknown in a part, a known one is that of the part's begin") {
  constexpr std::uint64_t known = 1'700'000'000'000'000'000, from = 100;
  for (const std::uint64_t realtime : {known, ClockProperties::unknown_realtime}) {
    const Scratch scratch;
    Seed seed;
    seed.d.clock.realtime = realtime;
    write_archive(seed.trace, scratch / "out");
    report::Part part;
    part.from = from;
    write_again(scratch / "out", scratch / "part", part);
    const auto report = check::check(scratch / "part");
    INFO(explain(report));
    CHECK(with_outcome(report, check::Outcome::violated).count("D05") == 0);
    CHECK(otf2::Trace::open(scratch / "part").definitions().clock.realtime ==
          (realtime == known ? known + from : realtime));
  }
}
