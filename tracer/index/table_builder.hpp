// SPDX-License-Identifier: BSD-3-Clause
// What an index has beside the locations' blocks: tables, each built by one who sees all events in order of time.
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
enum class TableKind : std::uint8_t { checkpoints = 1 };

class TableBuilder {
 public:
  virtual ~TableBuilder() = default;
  virtual TableKind kind() const = 0;
  /// As EventVisitor::events().
  virtual void events(LocationRef location, std::span<const Event> events,
                      std::span<const EventAttribute> attributes) = 0;
  /// After the last event: the table's bytes.
  virtual std::string finish() = 0;
};

using TableBuilders = std::vector<std::unique_ptr<TableBuilder>>;

}  // namespace tracer::index
