// SPDX-License-Identifier: BSD-3-Clause
// An archive that another one replaces while it is viewed.
#include "catch.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "formats/otf2/read/event_source.hpp"
#include "formats/otf2/write/sink.hpp"
#include "tests/report/known_traces.hpp"
#include "tests/support/scratch.hpp"
#include "tracer/index/build.hpp"
#include "tracer/index/contents.hpp"
#include "tracer/index/store.hpp"
#include "tracer/index/trace_index.hpp"
#include "tracer/samples.hpp"
#include "tracer/view/links_build.hpp"
#include "tracer/view/report_maker.hpp"

using namespace tracer;
using namespace tracer::test;
using namespace tracer::view;

namespace {

void write_archive(const std::filesystem::path& directory, unsigned threads, std::uint64_t calls) {
  std::filesystem::remove_all(directory);
  TraceBuilder trace{threads};
  const RegionRef function = trace.region("function", RegionRole::function, 0, Paradigm::user);
  for (LocationRef thread = 0; thread < threads; ++thread) {
    for (std::uint64_t i = 0; i < calls; ++i) {
      trace.enter(thread, start + i * us, function);
      trace.leave(thread, start + i * us + 100, function);
    }
  }
  const auto sink = make_otf2_sink(directory);
  trace.write(*sink);
}

}  // namespace

TEST_CASE("of an archive that is replaced while it is viewed there are no slices, events, links and report") {
  constexpr std::size_t threads = 2;
  const Scratch scratch;
  const std::filesystem::path directory = scratch / "trace", anchor = directory / "traces.otf2";
  write_archive(directory, threads, 100);
  auto source = otf2::open_archive(anchor);
  const std::uint64_t stamp = index::stamp_of(*source);
  auto contents = std::make_shared<index::Contents>(index::build(*source, stamp, {}));
  index::TraceIndex opened{std::move(source), std::move(contents)};
  CHECK(opened.slices(1, start, start + 50).size() == 1);

  write_archive(directory, threads + 3, 300);
  const auto says_so = ContainsSubstring("the archive has changed since it was opened");
  CHECK_THROWS_WITH(opened.slices(1, start, start + 50), says_so);
  CHECK_THROWS_WITH(opened.events(0, start, [](const Event&, std::span<const EventAttribute>) { return true; }),
                    says_so);

  std::vector<LinksMaker::Wanted> links_wanted(1);
  links_wanted[0].anchor = anchor;
  links_wanted[0].stamp = stamp;
  links_wanted[0].locations = threads;
  links_wanted[0].title = "the trace";
  const LinksMaker links{links_wanted};
  while (links.links(0) == nullptr && links.failure(0).empty()) std::this_thread::yield();
  CHECK_THAT(links.failure(0), says_so && ContainsSubstring("counters of the trace"));

  std::vector<ReportMaker::Wanted> report_wanted(1);
  report_wanted[0].anchor = anchor;
  report_wanted[0].stamp = stamp;
  report_wanted[0].samples = []() -> std::optional<samples::SampleSet> { return std::nullopt; };
  ReportMaker reports{report_wanted};
  nlohmann::json answer = nlohmann::json::parse(reports.answer());
  while (!answer["ready"].get<bool>() && answer["failure"].get<std::string>().empty()) {
    std::this_thread::yield();
    answer = nlohmann::json::parse(reports.answer());
  }
  CHECK_THAT(answer["failure"].get<std::string>(), says_so);
}
