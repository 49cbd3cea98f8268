// SPDX-License-Identifier: BSD-3-Clause
// See local_definition_writer.hpp.
#include "formats/otf2/join/local_definition_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "formats/otf2/write/encode.hpp"

namespace tracer::otf2 {
namespace {

constexpr std::uint8_t mapping_table = 5, clock_offset = 6, dense = 0, long_record = 0xff;
constexpr std::size_t most_of_number = 9;

void append_record(std::vector<std::uint8_t>& to, std::uint8_t kind, std::span<const std::uint8_t> body) {
  std::array<std::uint8_t, 10> head;
  std::uint8_t* end = put_u8(head.data(), kind);
  end = body.size() < long_record ? put_u8(end, static_cast<std::uint8_t>(body.size()))
                                  : put_full(put_u8(end, long_record), body.size());
  to.insert(to.end(), head.data(), end);
  to.insert(to.end(), body.begin(), body.end());
}

bool is_identity(const std::vector<std::uint64_t>& map) {
  for (std::size_t i = 0; i < map.size(); ++i)
    if (map[i] != i && map[i] != PartMaps::unknown) return false;
  return true;
}

}  // namespace

Kinds kinds_in_events(const TraceDefinitions& part) {
  Kinds kinds{};
  const auto refers = [&](std::size_t kind) {
    if (kind != 0 && kind <= kinds.size()) kinds[kind - 1] = true;
  };
  refers(static_cast<std::size_t>(ReferenceKind::attribute));  // of any event
  for (std::size_t event = 0; event < static_cast<std::size_t>(EventKind::count_); ++event)
    for (const EventField& field : row_of(static_cast<EventKind>(event)).field)
      refers(static_cast<std::size_t>(field.refers_to));
  for (const AttributeDef& a : part.attributes)
    if (a.type >= values::type_string) refers(a.type - values::type_string + 1u);
  return kinds;
}

std::vector<std::uint8_t> mapping_tables(const PartMaps& maps, const LocalDefinitions& inner, const Kinds& kinds) {
  std::vector<std::uint8_t> tables;
  for (std::size_t kind = 0; kind < PartMaps::kinds; ++kind) {
    if (!kinds[kind]) continue;
    const auto& outer = maps.maps[kind];
    const auto mapped = [&](std::uint64_t part) { return part < outer.size() ? outer[part] : PartMaps::unknown; };
    // All that the part has would be a table as long as the job in each location.
    std::vector<std::uint64_t> map = inner.dense[kind].empty() ? outer : std::vector<std::uint64_t>{};
    for (const std::uint64_t part : inner.dense[kind]) map.push_back(mapped(part));
    for (const auto& [local, part] : inner.sparse[kind]) {
      maps.require_plausible(kind, local, inner.dense[kind].size() + inner.sparse[kind].size());
      if (map.size() <= local) map.resize(local + 1, PartMaps::unknown);
    }
    for (const auto& [local, part] : inner.sparse[kind]) map[local] = mapped(part);
    if (is_identity(map)) continue;
    std::vector<std::uint8_t> body((map.size() + 2) * most_of_number);
    std::uint8_t* end = put_u8(body.data(), static_cast<std::uint8_t>(kind));
    end = put_u8(put(end, std::uint64_t{map.size()}), dense);
    for (const std::uint64_t ref : map) end = put(end, ref);
    append_record(tables, mapping_table, {body.data(), static_cast<std::size_t>(end - body.data())});
  }
  return tables;
}

std::int64_t offset_at(const std::vector<ClockOffset>& line, std::uint64_t time) noexcept {
  if (line.empty()) return 0;
  if (line.size() == 1) return line[0].offset;
  const auto after =
      std::lower_bound(line.begin() + 1, line.end() - 1, time,
                       [](const ClockOffset& offset, std::uint64_t wanted) { return offset.time < wanted; });
  const ClockOffset &a = after[-1], &b = *after;
  const double slope = static_cast<double>(b.offset - a.offset) / static_cast<double>(b.time - a.time);
  const double since = time >= a.time ? static_cast<double>(time - a.time) : -static_cast<double>(a.time - time);
  return a.offset + static_cast<std::int64_t>(std::llrint(slope * since));
}

std::vector<ClockOffset> joined_clock(const std::vector<ClockOffset>& inner, const std::vector<ClockOffset>& outer) {
  if (inner.size() < 2) return outer;
  if (outer.empty()) return inner;
  std::vector<ClockOffset> whole;
  // Where the inner line bends, and where the outer one does in the location's own time.
  for (const ClockOffset& o : inner) {
    const auto between = o.time + static_cast<std::uint64_t>(o.offset);
    whole.push_back({o.time, o.offset + offset_at(outer, between), o.deviation});
  }
  for (const ClockOffset& o : outer) {
    const auto local = o.time - static_cast<std::uint64_t>(offset_at(inner, o.time));
    whole.push_back({local, offset_at(inner, local) + o.offset, o.deviation});
  }
  std::sort(whole.begin(), whole.end(), [](const ClockOffset& a, const ClockOffset& b) { return a.time < b.time; });
  const auto same = [](const ClockOffset& a, const ClockOffset& b) { return a.time == b.time; };
  whole.erase(std::unique(whole.begin(), whole.end(), same), whole.end());
  return whole;
}

std::vector<std::uint8_t> clock_offsets(std::span<const ClockOffset> offsets) {
  std::vector<std::uint8_t> records;
  for (const ClockOffset& o : offsets) {
    std::array<std::uint8_t, 40> body;
    std::uint8_t* end = put_full(body.data(), o.time);
    end = put_signed(end, o.offset);
    end = put_full(end, std::bit_cast<std::uint64_t>(o.deviation));
    append_record(records, clock_offset, {body.data(), static_cast<std::size_t>(end - body.data())});
  }
  return records;
}

}  // namespace tracer::otf2
