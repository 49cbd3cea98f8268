// SPDX-License-Identifier: BSD-3-Clause
// How many of an archive's events are shown nowhere, as an index keeps it: of kinds that there is no event for here,
// and of later versions of OTF2.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "tracer/event_source.hpp"
#include "tracer/index/table_builder.hpp"

namespace tracer::index {

class NotShownBuilder final : public TableBuilder {
 public:
  /// `source`: the one that is read. It must stay.
  explicit NotShownBuilder(const EventSource& source) : source_{source} {}
  TableKind kind() const override { return TableKind::not_shown; }
  void events(LocationRef, std::span<const Event>, std::span<const EventAttribute>) override {}
  std::string finish() override;

 private:
  const EventSource& source_;
};

/// By their kinds' names in OTF2, of the table's bytes: none where an index has no such table. Throws tracer::Error
/// where it is damaged.
std::map<std::string, std::uint64_t> not_shown_in(std::string_view table);

}  // namespace tracer::index
