// SPDX-License-Identifier: BSD-3-Clause
// See mpi_communicators.hpp.
#include "formats/otf2/common/mpi_communicators.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tracer/base/budget.hpp"
#include "tracer/base/text.hpp"
#include "tracer/property_names.hpp"
#include "tracer/rank_ranges.hpp"

namespace tracer::otf2 {
namespace {

constexpr std::string_view comm_property = properties::mpi_comm, window_property = properties::mpi_window;

constexpr std::uint64_t most_ranks = 1 << 24;
/// Of all communicators of a part; of those beyond nobody is known.
constexpr std::uint64_t most_members = 1 << 25;

/// key=value;key=value;...;name=anything
std::map<std::string, std::string> fields_of(std::string_view text) {
  std::map<std::string, std::string> fields;
  while (!text.empty()) {
    const auto equals = text.find('=');
    if (equals == text.npos) break;
    const std::string key{text.substr(0, equals)};
    const auto end = key == "name" ? text.size() : std::min(text.find(';'), text.size());
    if (end < equals) break;
    fields[key] = text.substr(equals + 1, end - equals - 1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fields;
}

std::optional<std::uint32_t> small(const std::map<std::string, std::string>& fields, const char* key) {
  const auto found = fields.find(key);
  const auto value = found == fields.end() ? std::nullopt : parse_number(found->second);
  return value && *value < most_ranks ? std::optional{static_cast<std::uint32_t>(*value)} : std::nullopt;
}

std::string text(const std::map<std::string, std::string>& fields, const char* key) {
  const auto found = fields.find(key);
  return found == fields.end() ? std::string{} : found->second;
}

}  // namespace

std::vector<std::uint64_t> parse_ranks(const std::string& from, std::uint64_t below) {
  std::vector<std::uint64_t> ranks;
  std::string_view rest = from;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    const std::string_view item = rest.substr(0, end);
    const auto dash = item.find('-'), colon = item.find(':');
    const auto first = parse_number(item.substr(0, dash));
    const auto last = dash == item.npos ? first : parse_number(item.substr(dash + 1, colon - dash - 1));
    const auto step = colon == item.npos ? std::optional<std::uint64_t>{1} : parse_number(item.substr(colon + 1));
    if (!first || !last || *last < *first || *last >= below || !step || *step == 0 || *step > below) return {};
    for (std::uint64_t rank = *first; rank <= *last; rank += *step) ranks.push_back(rank);
    if (ranks.size() > below) return {};
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return ranks;
}

std::string format_ranks(const std::vector<std::uint64_t>& ranks) {
  std::string text;
  each_range(ranks.data(), ranks.size(), [&](std::uint64_t first, std::uint64_t last, std::uint64_t step) {
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (last > first) text += '-' + std::to_string(last);
    if (last > first && step > 1) text += ':' + std::to_string(step);
  });
  return text;
}

std::string without_members(std::string property) {
  for (const std::string_view list : {";members=", ";remote="}) {
    const auto begin = property.find(list);
    if (begin == property.npos || begin > property.find(";name=")) continue;
    property.erase(begin, property.find(';', begin + 1) - begin);
  }
  return property;
}

bool is_of_mpi_object(std::string_view property) noexcept {
  return property.starts_with(comm_property) || property.starts_with(window_property);
}

PartOfMpi read_part_of_mpi(const std::vector<Property>& properties, std::string world) {
  PartOfMpi part;
  part.world = std::move(world);
  std::optional<std::uint64_t> size, rank;
  for (const Property& p : properties) {
    if (p.name == properties::mpi_world_size) size = parse_number(p.value);
    if (p.name == properties::mpi_world_rank) rank = parse_number(p.value);
  }
  if (!size || !rank || *size == 0 || *size > most_ranks || *rank >= *size) return part;
  part.size = static_cast<std::uint32_t>(*size);
  part.rank = static_cast<std::uint32_t>(*rank);
  for (const Property& p : properties) {
    const std::string_view name = p.name;
    const bool is_comm = name.starts_with(comm_property);
    if (!is_of_mpi_object(name)) continue;
    const auto n = parse_number(name.substr(is_comm ? comm_property.size() : window_property.size()));
    const auto fields = fields_of(p.value);
    if (!n || *n > most_ranks || text(fields, "identity").empty()) continue;
    const auto index = static_cast<std::uint32_t>(*n);
    if (is_comm) {
      part.comms[index] = {small(fields, "ref"),    text(fields, "identity"),          text(fields, "name"),
                           small(fields, "parent"), small(fields, "size").value_or(0), text(fields, "members"),
                           text(fields, "remote")};
    } else {
      part.windows[index] = {small(fields, "ref"), text(fields, "identity"), text(fields, "name"),
                             small(fields, "comm").value_or(0)};
    }
  }
  return part;
}

std::string MpiWorlds::identity(const PartOfMpi& part, const std::string& of) const {
  return of == "SELF" ? of : part.world + '\n' + of;
}

std::uint64_t MpiWorlds::base(const PartOfMpi& part) const {
  const auto found = worlds_.find(part.world);
  return found == worlds_.end() ? 0 : found->second.base;
}

MpiWorlds::Place MpiWorlds::place_of(std::uint64_t rank) const {
  const auto behind = std::upper_bound(bases_.begin(), bases_.end(), rank);
  if (behind == bases_.begin()) return {};
  return {static_cast<std::uint64_t>(behind - bases_.begin()), rank - *(behind - 1)};
}

namespace {

const MpiWorlds::Ranks& nobody() {
  static const auto none = std::make_shared<const std::vector<std::uint64_t>>();
  return none;
}

}  // namespace

void MpiWorlds::add(const PartOfMpi& part) {
  if (part.empty()) return;
  const auto [world, is_new] = worlds_.emplace(part.world, World{size_, part.size});
  if (is_new) {
    bases_.push_back(size_);
    size_ += part.size;
  }
  World& own = world->second;
  if (part.size != own.size) return;  // of another launch, under the same name
  Budget room{most_members};
  const auto ranks = [&](const std::string& list) -> Ranks {
    if (list.empty()) return nobody();
    if (const auto known = own.lists.find(list); known != own.lists.end()) return known->second;
    std::vector<std::uint64_t> all = parse_ranks(list, part.size);
    if (!room.take(all.size())) return nobody();
    for (std::uint64_t& rank : all) rank += own.base;
    return own.lists[list] = std::make_shared<const std::vector<std::uint64_t>>(std::move(all));
  };
  for (const auto& [n, from] : part.comms) {
    Comm& comm = comms_.try_emplace(identity(part, from.identity), Comm{"", "", nobody(), nobody(), 0}).first->second;
    comm.size = from.size;
    if (comm.name.empty()) comm.name = from.name;
    if (from.parent && comm.parent.empty()) {
      if (const auto parent = part.comms.find(*from.parent); parent != part.comms.end())
        comm.parent = identity(part, parent->second.identity);
    }
    if (comm.members->empty() && from.identity != "SELF") {
      comm.members = ranks(from.members);
      if (comm.members->empty() && from.identity == "WORLD") comm.members = ranks("0-" + std::to_string(part.size - 1));
      comm.remote = ranks(from.remote);
      // Both sides record an intercommunicator, each its own group first: the one with the smaller rank is group A.
      if (!comm.remote->empty() && !comm.members->empty() && comm.remote->front() < comm.members->front())
        comm.members.swap(comm.remote);
    }
  }
}

}  // namespace tracer::otf2
