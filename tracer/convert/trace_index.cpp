// SPDX-License-Identifier: BSD-3-Clause
// See trace_index.hpp.
#include "tracer/convert/trace_index.hpp"

#include <optional>
#include <string>
#include <utility>

#include "tracer/error.hpp"
#include "tracer/index/checkpoints.hpp"
#include "tracer/index/not_shown.hpp"

namespace tracer {
namespace {

class FollowedPart final : public index::FollowedState {
 public:
  explicit FollowedPart(const Definitions& definitions) : state_{definitions} {}
  void follow(LocationRef location, std::span<const Event> events,
              std::span<const EventAttribute> attributes) override {
    for (const Event& event : events) {
      state_.follow(location, event, attributes.first(event.attributes));
      attributes = attributes.subspan(event.attributes);
    }
  }
  std::string kept() const override { return state_.kept(); }

 private:
  report::PartState state_;
};

}  // namespace

index::Stored open_index(otf2::PositionedSource& source, const std::function<void(double)>& progress,
                         unsigned threads) {
  const auto make_tables = [&source] {
    index::TableBuilders tables;
    tables.push_back(
        std::make_unique<index::CheckpointBuilder>(source, std::make_unique<FollowedPart>(source.definitions())));
    tables.push_back(std::make_unique<index::NotShownBuilder>(source));
    return tables;
  };
  return index::open_or_build(source, progress, make_tables, threads);
}

report::FindPartStart part_starts(otf2::PositionedSource& source, std::shared_ptr<const index::Contents> contents) {
  return [&source, contents = std::move(contents)](std::uint64_t time) -> std::optional<report::PartStart> {
    try {
      auto found = index::checkpoint_before(contents->table(index::TableKind::checkpoints), time);
      if (!found) return std::nullopt;
      return report::PartStart{found->kept, [&source, places = std::move(found->places)](EventVisitor& visitor) {
                                 source.read_on(places, visitor);
                               }};
    } catch (const Error&) {  // reading begins at the trace's begin
      return std::nullopt;
    }
  };
}

}  // namespace tracer
