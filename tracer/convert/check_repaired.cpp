// SPDX-License-Identifier: BSD-3-Clause
// See check_repaired.hpp.
#include "tracer/convert/check_repaired.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "tracer/check/check.hpp"
#include "tracer/error.hpp"

namespace tracer {
namespace {

using check::Subject;
using translate::Exclusions;
using translate::Repair;

/// Rounds in which single tasks, teams, locks and requests are left out; then all of the kind, then of all kinds.
constexpr unsigned single_rounds = 6, last_round = single_rounds + 3;

/// Which kinds of events a rule is about.
struct KindRow {
  std::string_view rule;
  bool Exclusions::*all;
};
constexpr std::array kinds{
    KindRow{"D15", &Exclusions::all_devices}, KindRow{"E02", &Exclusions::all_tasks},
    KindRow{"E04", &Exclusions::all_teams},   KindRow{"E05", &Exclusions::all_teams},
    KindRow{"E06", &Exclusions::all_teams},   KindRow{"E07", &Exclusions::all_teams},
    KindRow{"E08", &Exclusions::all_teams},   KindRow{"E09", &Exclusions::all_tasks},
    KindRow{"E10", &Exclusions::all_tasks},   KindRow{"E11", &Exclusions::all_locks},
    KindRow{"E12", &Exclusions::all_devices}, KindRow{"E13", &Exclusions::all_devices},
    KindRow{"E14", &Exclusions::all_devices}, KindRow{"E19", &Exclusions::all_devices},
    KindRow{"E20", &Exclusions::all_devices}, KindRow{"E24", &Exclusions::all_teams},
    KindRow{"E26", &Exclusions::all_mpi},     KindRow{"E27", &Exclusions::all_mpi},
    KindRow{"E28", &Exclusions::all_mpi},     KindRow{"E29", &Exclusions::all_mpi},
    KindRow{"E33", &Exclusions::all_mpi},
};

void leave_out(const Subject& subject, Exclusions& excluded) {
  switch (subject.kind) {
    case Subject::Kind::task:
      excluded.tasks.insert({subject.team, static_cast<std::uint32_t>(subject.first), subject.second});
      return;
    case Subject::Kind::team:
      excluded.teams.emplace(static_cast<LocationRef>(subject.first), subject.second);
      return;
    case Subject::Kind::lock:
      excluded.locks.insert(subject.first);
      return;
    case Subject::Kind::request:
      excluded.requests.insert(subject.first);
      return;
  }
}

/// How much is left out.
std::size_t size_of(const Exclusions& e) {
  return e.tasks.size() + e.teams.size() + e.locks.size() + e.requests.size() + e.all_tasks + e.all_teams +
         e.all_locks + e.all_mpi + e.all_devices;
}

void leave_out_kind(std::string_view rule, Exclusions& excluded) {
  const auto row = std::find_if(kinds.begin(), kinds.end(), [rule](const KindRow& r) { return r.rule == rule; });
  if (row != kinds.end()) excluded.*row->all = true;
}

/// What the program or its runtime did, and no archive can put right; it is counted.
bool is_counted(const check::RuleResult& result, Exclusions& excluded) {
  if (result.rule == "E21") return excluded.found.note(Repair::barrier_not_together, result.count), true;
  if (result.rule == "E22") return excluded.found.note(Repair::construct_not_once, result.count), true;
  return false;
}

}  // namespace

bool Judge::finds_more(const std::filesystem::path& anchor, Exclusions& excluded) try {
  if (round_++ == last_round) return false;
  bool more = false;
  for (const check::RuleResult& result : check::check(anchor).findings) {
    if (result.outcome != check::Outcome::violated) continue;
    if (is_counted(result, excluded)) {
      more = true;
      continue;
    }
    const std::size_t before = size_of(excluded);
    if (round_ <= single_rounds)
      for (const Subject& subject : result.subjects) leave_out(subject, excluded);
    if (size_of(excluded) == before) leave_out_kind(result.rule, excluded);
    more |= size_of(excluded) != before;
  }
  return more;
} catch (const Error&) {
  return false;  // it cannot be read: for who removes the raw trace to find out
}

}  // namespace tracer
