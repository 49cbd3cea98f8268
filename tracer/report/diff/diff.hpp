// SPDX-License-Identifier: BSD-3-Clause
// Two sides of a comparison, a report or several on each: what changed, by how much, and whether that is more than the
// runs of one side differ among themselves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tracer/report/forms/write.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

/// A number on both sides: means over the runs.
struct Change {
  double before = 0, after = 0;
  double noise = -1;  ///< half of the 95 % interval of the difference (Welch); -1: unknown, since a side has one run
  double delta() const { return after - before; }
  /// 0.05: five per cent more. Infinite when there was nothing before.
  double relative() const;
  /// False while the noise is unknown.
  bool beyond_noise() const { return noise >= 0 && (delta() > noise || delta() < -noise); }
};
Change compare(const std::vector<double>& before, const std::vector<double>& after);

struct Quantity {
  std::string name;  ///< "time", "work", "waiting", ...
  Change change;     ///< ns
};

/// A construct at a place in the source, by its name. Where the source was changed or the program built anew the place
/// may be another one: constructs of a function that has as many of the kind on both sides are the same in their order.
struct DiffRow {
  std::string name, was;                   ///< was: its name before, where that was another one
  std::uint32_t was_in_line = 0;           ///< of that; 0 unknown, or as it is
  Change count, time, waiting, imbalance;  ///< ns but for count; time: in the region itself
};

/// A device, by its name; of a job by its process' and its own.
struct DeviceDiff {
  std::string name;
  Change busy, idle, kernel_time, copy_time;       ///< ns; kernels and copies added up
  Change kernels, to_device, from_device, memory;  ///< count; bytes
};

/// What moves data needlessly, or costs more than it must: a pattern at a construct, called as DiffRow is.
struct MovementDiff {
  std::string pattern, name, was;
  std::uint32_t was_in_line = 0;
  Change count, bytes, time;  ///< time: ns that could be won
};

struct Diff {
  std::vector<std::string> before, after;  ///< the archives
  std::vector<Quantity> whole;             ///< of the run
  std::vector<DiffRow> constructs;         ///< those whose time changed most first
  std::vector<DeviceDiff> devices;         ///< by name
  std::vector<MovementDiff> movement;      ///< those whose time changed most first
  std::vector<std::string> notes;          ///< what keeps the runs from being compared, one sentence each
  bool are_whole_runs = true;              ///< each ran to its end, and no events are missing
};
Diff diff(const std::vector<Report>& before, const std::vector<Report>& after);

/// A limit: "time > 5%", "waiting > 10ms", "time of '!$omp for*' > 5%"; names are those of Diff::whole, and for
/// constructs count, time, waiting and imbalance. It is about growth, or with "<" about what shrinks: "work < -10%".
class Limit {
 public:
  /// Throws tracer::Error with the reason.
  explicit Limit(std::string_view text);
  /// What passes it, one line each: nothing that may be noise. Throws tracer::Error for a name that `diff` has not.
  std::vector<std::string> passed_by(const Diff& diff) const;

 private:
  bool passed(const Change& change) const;
  std::string text_, name_, pattern_;
  bool more_ = true, percent_ = false;
  double value_ = 0;
};

std::string diff_text(const Diff& diff, const TextOptions& options);
/// docs/cli/diff.md documents it.
std::string diff_json(const Diff& diff, const std::vector<std::string>& passed);

}  // namespace tracer::report
