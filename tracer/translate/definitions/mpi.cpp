// SPDX-License-Identifier: BSD-3-Clause
// See mpi.hpp.
#include "tracer/translate/definitions/mpi.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "tracer/base/budget.hpp"
#include "tracer/property_names.hpp"

namespace tracer::translate {
namespace {

constexpr std::string_view comm_fact = properties::fact(properties::mpi_comm),
                           window_fact = properties::fact(properties::mpi_window),
                           group_fact = properties::mpi_group_fact, handle_fact = properties::mpi_file_handle_fact,
                           file_fact = properties::mpi_file_fact;
/// A damaged journal must not make us allocate without bound.
constexpr std::uint32_t most_ranks = 1u << 24;
/// Of all lists of members together that differ; what has one beyond is left out, with its events.
constexpr std::uint64_t most_members = 1u << 25;

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint32_t> number_of(const Journal& journal, const std::string& fact) {
  const auto found = journal.facts.find(fact);
  return found == journal.facts.end() ? std::nullopt : number(found->second);
}

/// "identity=WORLD/1@0;size=4;...;name=anything"
std::optional<std::string_view> value_of(std::string_view fact, std::string_view key) {
  while (!fact.empty()) {
    const bool is_name = fact.starts_with("name=");
    const auto end = is_name ? fact.size() : std::min(fact.find(';'), fact.size());
    const std::string_view part = fact.substr(0, end);
    if (part.size() > key.size() && part.starts_with(key) && part[key.size()] == '=')
      return part.substr(key.size() + 1);
    fact.remove_prefix(std::min(end + 1, fact.size()));
  }
  return std::nullopt;
}

/// "0-3,8-20:4"; undefined_ref for one that is not in the world, and for all that the list does not have.
std::vector<std::uint32_t> members_of(std::string_view list, std::uint32_t size, std::uint32_t world) {
  std::vector<std::uint32_t> members;
  while (!list.empty() && members.size() < size) {
    const auto end = std::min(list.find(','), list.size());
    const std::string_view part = list.substr(0, end);
    const auto dash = part.find('-', 1), colon = part.find(':');
    const auto first = number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number(part.substr(dash + 1, colon - dash - 1));
    const auto step =
        colon == std::string_view::npos ? std::optional<std::uint32_t>{1} : number(part.substr(colon + 1));
    if (!first || !last || *last >= world || *first > *last || !step || *step == 0) {
      members.push_back(undefined_ref);
    } else {
      for (std::uint64_t rank = *first; rank <= *last && members.size() < size; rank += *step)
        members.push_back(static_cast<std::uint32_t>(rank));
    }
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  members.resize(size, undefined_ref);
  return members;
}

/// body(number, fact) of each fact of one kind; no number: the journal is damaged there.
template <class Body>
void each_fact(const Journal& journal, std::string_view kind, const Body& body) {
  for (auto f = journal.facts.lower_bound(std::string(kind)); f != journal.facts.end() && f->first.starts_with(kind);
       ++f)
    body(number(std::string_view(f->first).substr(kind.size())), *f);
}

using Facts = std::map<std::uint32_t, std::string_view>;  ///< by number: parents are older than their children

/// Those of one kind, and room for what they become.
Facts facts_of(const Journal& journal, std::string_view kind, std::vector<std::uint32_t>& table) {
  Facts facts;
  each_fact(journal, kind, [&](std::optional<std::uint32_t> id, const auto& fact) {
    if (id && *id < most_ranks) facts.emplace(*id, fact.second);
  });
  if (!facts.empty()) table.assign(std::size_t{facts.rbegin()->first} + 1, undefined_ref);
  return facts;
}

class MpiDefinitions {
 public:
  MpiDefinitions(Tables& tables, const Journal& journal, Definitions& definitions, std::uint32_t size,
                 std::uint32_t rank)
      : tables_(tables), journal_(journal), d_(definitions), world_(size), rank_(rank) {}

  void define() {
    d_.paradigms.push_back({Paradigm::mpi, "MPI", ParadigmClass::process, "Comm ${id}", false});
    Group locations{"MPI", GroupKind::comm_locations, Paradigm::mpi, {}};
    locations.members.assign(world_, undefined_ref);
    locations.members[rank_] = 0;
    d_.groups.push_back(std::move(locations));
    for (auto& group : d_.groups_of_locations)
      if (group.kind == LocationGroupKind::process) group.name = "MPI Rank " + std::to_string(rank_);
    const Facts comms = facts_of(journal_, comm_fact, tables_.mpi_comms);
    for (const auto& [id, fact] : comms) comm(id, fact);
    const Facts windows = facts_of(journal_, window_fact, tables_.mpi_windows);
    for (const auto& [id, fact] : windows) window(id, fact);
    const Facts groups = facts_of(journal_, group_fact, tables_.mpi_groups);
    for (const auto& [id, fact] : groups) rank_group(id, fact);
  }

 private:
  /// undefined_ref: there is no room for so many more.
  std::uint32_t group(std::optional<std::string_view> list, std::uint32_t size) {
    const auto [known, is_new] = lists_.try_emplace({list.value_or(""), size}, undefined_ref);
    if (!is_new || !room_.take(size)) return known->second;
    const auto next = static_cast<std::uint32_t>(d_.groups.size());
    d_.groups.push_back({"", GroupKind::comm_group, Paradigm::mpi, members_of(known->first.first, size, world_)});
    const auto [same, is_other] = groups_.insert(next);
    if (!is_other) d_.groups.pop_back();
    return known->second = *same;
  }
  std::uint32_t self_group() {
    if (self_ == undefined_ref) {
      self_ = static_cast<std::uint32_t>(d_.groups.size());
      d_.groups.push_back({"", GroupKind::comm_self, Paradigm::mpi, {}});
    }
    return self_;
  }

  void comm(std::uint32_t id, std::string_view fact) {
    const auto size = number(value_of(fact, "size").value_or(""));
    if (!size || *size == 0 || *size > most_ranks) return;
    Comm comm;
    comm.name = value_of(fact, "name").value_or("");
    const bool is_self = value_of(fact, "identity") == "SELF";
    comm.group = is_self ? self_group() : group(value_of(fact, "members"), *size);
    if (comm.group == undefined_ref) return;
    const auto remote_size = number(value_of(fact, "remote_size").value_or(""));
    if (remote_size && *remote_size != 0 && *remote_size <= most_ranks) {
      comm.second_group = group(value_of(fact, "remote"), *remote_size);
      if (comm.second_group == undefined_ref) return;
    }
    if (const auto parent = number(value_of(fact, "parent").value_or("")); parent && *parent < id)
      comm.parent = tables_.mpi_comms[*parent];
    comm.has_events = true;
    tables_.mpi_comms[id] = static_cast<CommRef>(d_.comms.size());
    d_.comms.push_back(std::move(comm));
  }

  void window(std::uint32_t id, std::string_view fact) {
    const auto comm = number(value_of(fact, "comm").value_or(""));
    if (!comm || *comm >= tables_.mpi_comms.size() || tables_.mpi_comms[*comm] == undefined_ref) return;
    tables_.mpi_windows[id] = static_cast<std::uint32_t>(d_.windows.size());
    constexpr std::uint32_t has_events = 1;  // OTF2_RmaWinFlag: of its creation and destruction
    d_.windows.push_back(
        {std::string(value_of(fact, "name").value_or("")), tables_.mpi_comms[*comm], true, has_events});
  }

  void rank_group(std::uint32_t id, std::string_view fact) {
    const auto size = number(value_of(fact, "size").value_or(""));
    if (size && *size <= world_) tables_.mpi_groups[id] = group(value_of(fact, "members"), *size);
  }

  Tables& tables_;
  const Journal& journal_;
  Definitions& d_;
  std::uint32_t world_, rank_;
  std::uint32_t self_ = undefined_ref;
  struct ByMembers {
    const std::vector<Group>& groups;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return groups[a].members < groups[b].members; }
  };
  std::set<std::uint32_t, ByMembers> groups_{ByMembers{d_.groups}};
  /// By list and size: a program may have many communicators of the same members.
  std::map<std::pair<std::string_view, std::uint32_t>, std::uint32_t> lists_;
  Budget room_{most_members};
};

/// Files by their paths, and handles of them.
class IoDefinitions {
 public:
  IoDefinitions(Tables& tables, const Journal& journal, Definitions& definitions)
      : tables_(tables), journal_(journal), d_(definitions) {}

  void define() {
    for (const auto& [id, fact] : facts_of(journal_, handle_fact, tables_.io_handles)) handle(id, fact);
    for (const auto& [id, path] : facts_of(journal_, file_fact, tables_.io_files)) tables_.io_files[id] = file(path);
  }

 private:
  std::uint32_t file(std::string_view path) {
    const auto [known, is_new] = files_.emplace(path, static_cast<std::uint32_t>(d_.io_files.size()));
    if (is_new) d_.io_files.push_back({std::string(path)});
    return known->second;
  }

  void handle(std::uint32_t id, std::string_view fact) {
    const std::string_view path = value_of(fact, "name").value_or("");
    if (path.empty()) return;
    IoHandle handle{std::string(path), file(path)};
    if (const auto again = value_of(fact, "again")) handle.name += " (" + std::string(*again) + ")";
    if (const auto comm = number(value_of(fact, "comm").value_or("")); comm && *comm < tables_.mpi_comms.size())
      handle.comm = tables_.mpi_comms[*comm];
    tables_.io_handles[id] = static_cast<std::uint32_t>(d_.io_handles.size());
    d_.io_handles.push_back(std::move(handle));
  }

  Tables& tables_;
  const Journal& journal_;
  Definitions& d_;
  std::map<std::string, std::uint32_t, std::less<>> files_;
};

}  // namespace

void define_mpi(Tables& tables, const Journal& journal, Definitions& definitions) {
  const auto size = number_of(journal, properties::fact(properties::mpi_world_size)),
             rank = number_of(journal, properties::fact(properties::mpi_world_rank));
  if (definitions.locations.empty()) return;
  if (size && rank && *rank < *size && *size <= most_ranks)
    MpiDefinitions(tables, journal, definitions, *size, *rank).define();
  IoDefinitions(tables, journal, definitions).define();
}

bool is_mpi_fact(const std::string& name) {
  return name.starts_with(comm_fact) || name.starts_with(window_fact) || name.starts_with(group_fact) ||
         name.starts_with(handle_fact) || name.starts_with(file_fact);
}

void mpi_properties(const Tables& tables, const Journal& journal, Definitions& definitions) {
  std::vector<std::uint32_t> refs(definitions.comms.size(), undefined_ref);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < refs.size(); ++i)
    if (definitions.comms[i].used) refs[i] = next++;
  each_fact(journal, comm_fact, [&](std::optional<std::uint32_t> id, const auto& fact) {
    const CommRef comm = id && *id < tables.mpi_comms.size() ? tables.mpi_comms[*id] : undefined_ref;
    std::string value = fact.second;
    if (comm != undefined_ref && refs[comm] != undefined_ref) value = "ref=" + std::to_string(refs[comm]) + ";" + value;
    definitions.properties.push_back({properties::ours + fact.first, std::move(value)});
  });
  each_fact(journal, window_fact, [&](std::optional<std::uint32_t> id, const auto& fact) {
    if (!id || *id >= tables.mpi_windows.size() || tables.mpi_windows[*id] == undefined_ref) return;
    definitions.properties.push_back(
        {properties::ours + fact.first, "ref=" + std::to_string(tables.mpi_windows[*id]) + ";" + fact.second});
  });
}

}  // namespace tracer::translate
