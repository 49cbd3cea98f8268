// SPDX-License-Identifier: BSD-3-Clause
// Is an archive valid? All rules of docs/check.md over any OTF2 archive, in one pass over its events.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

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
  std::string says;
  Outcome outcome = Outcome::holds;
  std::uint64_t count = 0;  ///< of violations
  Place first;
  std::string why;                ///< why it does not apply
  std::vector<Subject> subjects;  ///< of the first violations, where the rule has some
};

struct CheckReport {
  std::filesystem::path anchor;
  std::uint64_t events = 0, locations = 0, definitions = 0;
  std::vector<RuleResult> findings;  ///< one per rule, in order
  bool valid() const;
};

struct CheckOptions {
  /// What the program itself counted, for E25: by construct ("barrier": times entered), or "events",
  /// "locations", "threads", "tasks created", "tasks completed", "lock acquisitions", "lock releases".
  std::map<std::string, std::uint64_t> expected;
};

struct RuleRow {
  const char* id;
  const char* says;
};

/// All rules in order: D01-D19, E01-E32.
std::span<const RuleRow> rules();

/// Never throws for what is wrong with the archive, short of one whose anchor or definitions cannot be
/// read at all: that is a tracer::Error.
CheckReport check(const std::filesystem::path& trace, const CheckOptions& options = {});

}  // namespace tracer::check
