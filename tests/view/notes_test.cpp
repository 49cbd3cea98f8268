// SPDX-License-Identifier: BSD-3-Clause
// What the viewer says of a trace that lacks something, or has what it does not show.
#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "formats/otf2/read/event_source.hpp"
#include "formats/otf2/write/sink.hpp"
#include "tests/report/known_traces.hpp"
#include "tests/support/scratch.hpp"
#include "tracer/error.hpp"
#include "tracer/event_source.hpp"
#include "tracer/index/build.hpp"
#include "tracer/index/contents.hpp"
#include "tracer/index/not_shown.hpp"
#include "tracer/index/store.hpp"
#include "tracer/index/trace_index.hpp"
#include "tracer/view/api.hpp"
#include "tracer/view/notes.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

using Kinds = std::map<std::string, std::uint64_t>;

/// Another source that has left something out.
class Lacking final : public SourceOver {
 public:
  explicit Lacking(EventSource& source) : SourceOver{source} {}
  void read(EventVisitor& visitor) override { source_.read(visitor); }
  std::uint64_t unread() const override { return 300; }
  Kinds untranslated() const override { return {{"PROGRAM\x1b_STEP", 2}, {"COMM_SPLIT", 1'000}}; }
};

std::shared_ptr<const index::Contents> index_of(otf2::PositionedSource& source, const EventSource* left_out) {
  index::TableBuilders tables;
  if (left_out != nullptr) tables.push_back(std::make_unique<index::NotShownBuilder>(*left_out));
  return std::make_shared<index::Contents>(index::build(source, index::stamp_of(source), {}, tables));
}

bool has(const std::vector<std::string>& notes, const std::string& part) {
  return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) { return note.find(part) != note.npos; });
}

}  // namespace

TEST_CASE("the viewer says what a trace lacks, and what of it is not shown") {
  const Scratch scratch;
  TraceBuilder trace = imbalance_3_to_1();
  for (const auto& [name, value] : {std::pair{"TRACER::SETTING::TRACER_RECORD", "-tasks"},
                                    {"TRACER::EVENTS_LOST", "12"},
                                    {"TRACER::FILTER", "EXCLUDE implicit*"}})
    trace.editable().properties.push_back({name, value});
  const auto sink = make_otf2_sink(scratch / "trace");
  trace.write(*sink);
  auto source = otf2::open_archive(scratch / "trace" / "traces.otf2");
  const Lacking lacking{trace};
  const auto contents = index_of(*source, &lacking);
  const std::vector<std::string> notes = view::notes_of(source->definitions(), *contents);
  CHECK(notes.size() == 4);
  CHECK(has(notes, "12 events are missing"));
  CHECK(has(notes, "Tasks are not recorded"));
  CHECK(has(notes, "EXCLUDE implicit*"));
  CHECK(has(notes, "1,302 events of kinds that are not shown: COMM_SPLIT, PROGRAM?_STEP, event of a later version"));
  index::TraceIndex opened{std::move(source), contents};
  view::ViewedTrace viewed;
  viewed.index = &opened;
  viewed.notes = notes;
  const view::Api api{{viewed}, nullptr};
  const nlohmann::json meta = nlohmann::json::parse(api.meta());
  CHECK(meta["sides"][0]["notes"].get<std::vector<std::string>>() == notes);
}

TEST_CASE("of a whole trace the viewer says nothing, nor of an index that does not know") {
  const Scratch scratch;
  TraceBuilder trace = imbalance_3_to_1();
  const auto sink = make_otf2_sink(scratch / "trace");
  trace.write(*sink);
  const auto source = otf2::open_archive(scratch / "trace" / "traces.otf2");
  for (const EventSource* const left_out :
       {static_cast<const EventSource*>(&trace), static_cast<const EventSource*>(nullptr)})
    CHECK(view::notes_of(source->definitions(), *index_of(*source, left_out)).empty());
}

TEST_CASE("kinds that are not shown are read back from an index, and a table that is cut off is none") {
  TraceBuilder trace = imbalance_3_to_1();
  const Lacking lacking{trace};
  const std::string table = index::NotShownBuilder{lacking}.finish();
  CHECK(index::not_shown_in(table) == Kinds{{"PROGRAM\x1b_STEP", 2}, {"COMM_SPLIT", 1'000}, {unread_kind, 300}});
  CHECK(index::not_shown_in({}).empty());
  CHECK_THROWS_AS(index::not_shown_in(std::string_view{table}.substr(0, table.size() - 1)), Error);
}
