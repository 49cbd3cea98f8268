// SPDX-License-Identifier: BSD-3-Clause
// What an index has beside the locations' blocks: tables. Builders of them see all events in order of time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/event.hpp"

namespace tracer::index {

/// Numbers of the file's format.
enum class TableKind : std::uint8_t { checkpoints = 1, activity = 2, not_shown = 3 };

class TableBuilder {
 public:
  virtual ~TableBuilder() = default;
  virtual TableKind kind() const = 0;
  /// As EventVisitor::events().
  virtual void events(LocationRef location, std::span<const Event> events,
                      std::span<const EventAttribute> attributes) = 0;
  /// Before the first of events() whose first event has this number, counted from 0, or a later one, it looks at the
  /// source. It may be later than its result before the last of events().
  virtual std::uint64_t due() const { return ~std::uint64_t{0}; }
  /// After the last event: the table's bytes.
  virtual std::string finish() = 0;
};

using TableBuilders = std::vector<std::unique_ptr<TableBuilder>>;

}  // namespace tracer::index
