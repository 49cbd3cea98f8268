// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: moments of a trace at which reading can begin as if all before had been read (docs/formats/index.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/index/table_builder.hpp"

namespace tracer::index {

/// What is kept at a checkpoint of all events before it.
class FollowedState {
 public:
  virtual ~FollowedState() = default;
  /// `attributes` are those of all these events of a location, in their order.
  virtual void follow(LocationRef location, std::span<const Event> events,
                      std::span<const EventAttribute> attributes) = 0;
  virtual std::string kept() const = 0;
};

class CheckpointBuilder final : public TableBuilder {
 public:
  /// `source` is the one that is read.
  CheckpointBuilder(const otf2::PositionedSource& source, std::unique_ptr<FollowedState> state);
  TableKind kind() const override { return TableKind::checkpoints; }
  void events(LocationRef location, std::span<const Event> events, std::span<const EventAttribute> attributes) override;
  std::uint64_t due() const override { return next_; }
  std::string finish() override;

 private:
  void add();

  const otf2::PositionedSource& source_;
  std::unique_ptr<FollowedState> state_;
  std::uint64_t events_ = 0, next_, interval_, last_ = 0;
  double bytes_for_event_;  ///< that the table may have
  std::uint64_t count_ = 0;
  std::string table_, payloads_;
};

struct Checkpoint {
  std::vector<otf2::ResumePlace> places;
  std::string_view kept;
};

/// Of a table's bytes: the last checkpoint all of whose earlier events are before `time`; none: there is no such.
/// Throws tracer::Error where the table is damaged.
std::optional<Checkpoint> checkpoint_before(std::string_view table, std::uint64_t time);

}  // namespace tracer::index
