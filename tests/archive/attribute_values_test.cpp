// SPDX-License-Identifier: BSD-3-Clause
// Attributes whose values refer to strings, regions and locations, in archives whose references have gaps.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "catch.hpp"
#include "formats/otf2/read/event_source.hpp"
#include "formats/otf2/read/opened_views.hpp"
#include "formats/otf2/read/reader.hpp"
#include "formats/otf2/write/sink.hpp"
#include "sample.hpp"
#include "support/scratch.hpp"
#include "tracer/convert/rewrite.hpp"
#include "tracer/event_source.hpp"

using namespace tracer;
using namespace tracer::test;
namespace fs = std::filesystem;

namespace {

/// The sample; the kernel's Enter has a text, before which the archive leaves strings out, a region and a location.
SampleTrace sample_with_references() {
  SampleTrace trace = make_sample();
  Definitions& d = trace.definitions;
  d.strings.insert(d.strings.end(), {"unused", "4x2x1"});
  d.unused_strings = {false, false, false, false, true, false};
  d.attributes.push_back({"GRID", "", ValueType::string});
  d.attributes.push_back({"REGION", "", ValueType::region});
  d.attributes.push_back({"LOCATION", "", ValueType::location});
  LocationEvents& stream = trace.locations[2];
  const std::vector<EventAttribute> more = {{7, 5}, {8, 12}, {9, 1}};
  std::size_t behind = 0;
  for (Event& event : stream.events) {
    behind += event.attributes;
    if (event.type != EventType::enter) continue;
    stream.attributes.insert(stream.attributes.begin() + static_cast<std::ptrdiff_t>(behind), more.begin(), more.end());
    event.attributes = static_cast<std::uint8_t>(event.attributes + more.size());
    break;
  }
  return trace;
}

/// What the attributes refer to, as texts.
class Texts final : public EventVisitor {
 public:
  explicit Texts(const Definitions& definitions) : definitions_{definitions} {}
  void event(LocationRef, const Event&, std::span<const EventAttribute> attributes) override {
    for (const EventAttribute& one : attributes) {
      const AttributeDefinition& of = definitions_.attributes.at(one.attribute);
      if (of.type == ValueType::string) found.push_back(definitions_.strings.at(one.value));
      if (of.type == ValueType::region) found.push_back(definitions_.regions.at(one.value).name);
      if (of.type == ValueType::location) found.push_back(definitions_.locations.at(one.value).name);
    }
  }
  std::vector<std::string> found;

 private:
  const Definitions& definitions_;
};

std::vector<std::string> texts_of(const fs::path& directory) {
  const auto source = otf2::open_archive(directory / "traces.otf2");
  Texts texts{source->definitions()};
  source->read(texts);
  return texts.found;
}

const std::vector<std::string> expected = {"4x2x1", "!$omp target submit @app.c:12", "OMP thread 1"};

}  // namespace

TEST_CASE("attributes have the text, region and location of the archive, also where it leaves strings out") {
  const Scratch scratch;
  write_archive(sample_with_references(), scratch / "0");
  CHECK(otf2::Trace::open(scratch / "0").definitions().strings.find(4) == nullptr);
  CHECK(texts_of(scratch / "0") == expected);
  for (const char* const copy : {"1", "2"}) {
    const auto source = otf2::open_archive(scratch / std::string(1, static_cast<char>(*copy - 1)) / "traces.otf2");
    const auto sink = make_otf2_sink(scratch / copy);
    rewrite(*source, *sink);
    CHECK(texts_of(scratch / copy) == expected);
  }
}

TEST_CASE("what is open where reading begins refers to what the archive's event refers to") {
  const Scratch scratch;
  write_archive(sample_with_references(), scratch / "out");
  const auto trace = otf2::Trace::open(scratch / "out");
  const otf2::OpenedViews views{trace};
  const Event enter{.time = 0, .type = EventType::enter, .attributes = 3, .sub = 0, .ref = 13, .a = 0, .b = 0};
  const std::vector<EventAttribute> attributes = {{7, 4}, {8, 12}, {9, 1}};  // the text's place: one is left out
  const auto view = views.view_of(2, enter, attributes);
  REQUIRE(view);
  REQUIRE(view->attributes.size() == 3);
  CHECK(trace.definitions().text(view->attributes[0].value) == "4x2x1");
  CHECK(trace.definitions().text(trace.definitions().regions.find(view->attributes[1].value)->name) == expected[1]);
  CHECK(trace.definitions().text(trace.definitions().locations.find(view->attributes[2].value)->name) == expected[2]);
}
