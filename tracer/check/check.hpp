// SPDX-License-Identifier: BSD-3-Clause
// Is an archive valid? All rules of docs/check.md over any OTF2 archive, in one pass over its events.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/otf2/read/event_source.hpp"
#include "formats/otf2/read/opened_views.hpp"

namespace tracer::check {

enum class Outcome : std::uint8_t { holds, violated, not_applicable };

/// The first place at which a rule is violated; what does not apply is empty.
struct Place {
  std::string location;  ///< name and reference, "" for definitions
  bool has_time = false;
  std::uint64_t time = 0;      ///< ticks of the archive's clock
  std::uint64_t position = 0;  ///< number of the event on its location, from 1; 0: none
  std::string what;            ///< the event or definition, and what is wrong with it
};

/// What a violation is about, as events name it.
struct Subject {
  enum class Kind : std::uint8_t { task, team, lock, request } kind = Kind::task;
  std::string team;          ///< a task's: name of the communicator
  std::uint64_t first = 0;   ///< the task's creator, the location that forked, the lock, the request
  std::uint64_t second = 0;  ///< the task's number there, when it forked
};

struct RuleResult {
  std::string rule;  ///< "E05"
  std::string requirement;
  Outcome outcome = Outcome::holds;
  std::uint64_t count = 0;  ///< of violations
  Place first;
  std::string why;                ///< why it does not apply
  std::vector<Subject> subjects;  ///< of the first violations, where the rule has some
  std::vector<Place> places;      ///< of all, where CheckOptions want them
};

struct CheckReport {
  std::filesystem::path anchor;
  std::uint64_t events = 0, locations = 0, definitions = 0;
  std::uint64_t read = 0;            ///< events that were read: more than those of a part, where that is not all
  std::vector<RuleResult> findings;  ///< one per rule, in order
  bool valid() const;
};

/// A part of an archive, whose violations are looked for.
struct CheckPart {
  std::uint64_t from = 0, to = ~std::uint64_t{0};  ///< ns, as the archive's clock counts
  /// By location, in the order of the definitions; empty: all. `read`: with all threads of their processes.
  std::vector<bool> shown, read;
  std::string text;  ///< "from 1.5 s to 2 s"
  /// A moment before `from`, and what is open there, if one is known.
  struct Begin {
    std::vector<otf2::ResumePlace> places;
    std::function<std::vector<otf2::OwnedView>(const otf2::OpenedViews&)> open;
  };
  std::optional<Begin> begin;
};

struct CheckOptions {
  /// What the program itself counted, for E25: by construct ("barrier": times entered), or "events",
  /// "locations", "threads", "tasks created", "tasks completed", "lock acquisitions", "lock releases".
  std::map<std::string, std::uint64_t> expected;
  std::optional<CheckPart> part;  ///< none: the whole
  bool keep_places = false;       ///< for tests
};

struct RuleRow {
  const char* id;
  const char* requirement;
};

/// All rules in order: D01-D19, E01-E32.
std::span<const RuleRow> rules();

/// Never throws for what is wrong with the archive, short of one whose anchor or definitions cannot be
/// read at all: that is a tracer::Error.
///
/// Of a part: what the check of the whole finds at the part's times and locations, and in the definitions. Where a
/// begin is known, reading begins there. If there is a violation then, all before is read as well, and decides: a rule
/// may have more of it than what is open. Rules that need all of an archive do not apply.
CheckReport check(const std::filesystem::path& trace, const CheckOptions& options = {});

}  // namespace tracer::check
