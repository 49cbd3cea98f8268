// SPDX-License-Identifier: BSD-3-Clause
// See diff.hpp: the numbers.
#include "tracer/report/diff/diff.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <string_view>

#include "tracer/cut/filter.hpp"
#include "tracer/error.hpp"
#include "tracer/report/diff/comparable.hpp"
#include "tracer/report/diff/names.hpp"

namespace tracer::report {
namespace {

struct Sample {
  double mean = 0, variance_of_mean = 0, runs = 0;
};

Sample sample_of(const std::vector<double>& values) {
  Sample sample;
  sample.runs = static_cast<double>(values.size());
  if (values.empty()) return sample;
  sample.mean = std::accumulate(values.begin(), values.end(), 0.0) / sample.runs;
  if (values.size() < 2) return sample;
  double squares = 0;
  for (const double value : values) squares += (value - sample.mean) * (value - sample.mean);
  sample.variance_of_mean = squares / (sample.runs - 1) / sample.runs;
  return sample;
}

/// Student's t, 97.5 %, for whole degrees of freedom; fewer than given are taken, which is the careful side.
double student(double freedom) {
  constexpr double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                              2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
  constexpr double beyond = 2.086;
  if (!(freedom >= 1)) return table[0];
  const auto whole = static_cast<std::size_t>(std::min(freedom, 1e6));
  return whole > std::size(table) ? beyond : table[whole - 1];
}

std::vector<double> of_each(const std::vector<Report>& reports, double (*number)(const Report&)) {
  std::vector<double> values;
  for (const Report& report : reports) values.push_back(number(report));
  return values;
}

template <Activity... activities>
double of_threads(const Report& report) {
  std::uint64_t sum = 0;
  for (const ThreadRow& thread : report.thread_rows) {
    if (thread.is_stream) continue;
    sum += (thread.ns[static_cast<std::size_t>(activities)] + ... + std::uint64_t{0});
  }
  return static_cast<double>(sum);
}

template <std::uint64_t DeviceRow::*ns>
double of_devices(const Report& report) {
  std::uint64_t sum = 0;
  for (const DeviceRow& row : report.devices) sum += row.*ns;
  return static_cast<double>(sum);
}

struct Numbers {
  std::vector<double> count, time, waiting, imbalance;
};

struct Both {
  ConstructNames::Row row;
  Numbers then, now;
};
using BothByKey = std::map<std::string, Both>;

void collect(const std::vector<Report>& reports, bool is_before, const ConstructNames& names, BothByKey& rows) {
  std::size_t run = 0;
  for (const Report& report : reports) {
    for (const RegionRow& region : report.regions) {
      const ConstructNames::Row row = names.row_of(region, is_before);
      Both& both = rows[row.key];
      if (both.row.was.empty()) both.row = row;
      Numbers& numbers = is_before ? both.then : both.now;
      for (auto* values : {&numbers.count, &numbers.time, &numbers.waiting, &numbers.imbalance})
        values->resize(reports.size());
      numbers.count[run] += static_cast<double>(region.count);
      numbers.time[run] += static_cast<double>(region.exclusive);
      numbers.waiting[run] += static_cast<double>(region.waiting);
      numbers.imbalance[run] += static_cast<double>(region.balance.lost);
    }
    ++run;
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

}  // namespace

double Change::relative() const {
  if (before != 0) return delta() / before;
  return delta() == 0 ? 0 : std::numeric_limits<double>::infinity() * (delta() > 0 ? 1 : -1);
}

Change compare(const std::vector<double>& before, const std::vector<double>& after) {
  const Sample a = sample_of(before), b = sample_of(after);
  Change change{a.mean, b.mean, -1};
  if (a.runs < 2 || b.runs < 2) return change;
  const double variance = a.variance_of_mean + b.variance_of_mean;
  const double freedom =
      variance * variance /
      (a.variance_of_mean * a.variance_of_mean / (a.runs - 1) + b.variance_of_mean * b.variance_of_mean / (b.runs - 1));
  change.noise = variance == 0 ? 0 : student(freedom) * std::sqrt(variance);
  return change;
}

Diff diff(const std::vector<Report>& before, const std::vector<Report>& after) {
  Diff result;
  for (const Report& report : before) result.before.push_back(report.archive);
  for (const Report& report : after) result.after.push_back(report.archive);
  const auto add = [&](const char* name, double (*number)(const Report&)) {
    result.whole.push_back({name, compare(of_each(before, number), of_each(after, number))});
  };
  add("time", [](const Report& r) {
    return static_cast<double>(r.account.is_confined ? r.account.wall() : r.wall);  // within the phases chosen
  });
  add("work", of_threads<Activity::work>);
  add("waiting", of_threads<Activity::barrier, Activity::task_wait, Activity::lock_wait>);
  add("barrier", of_threads<Activity::barrier>);
  add("task_wait", of_threads<Activity::task_wait>);
  add("lock_wait", of_threads<Activity::lock_wait>);
  add("runtime", of_threads<Activity::runtime>);
  add("device", of_threads<Activity::device>);
  add("mpi", of_threads<Activity::mpi>);
  add("idle", of_threads<Activity::idle>);
  add("imbalance", [](const Report& r) { return static_cast<double>(r.account.at(Place::imbalance)); });
  add("device_busy", of_devices<&DeviceRow::busy>);
  add("device_idle", of_devices<&DeviceRow::idle>);
  add("data_movement", [](const Report& r) {
    std::uint64_t sum = 0;
    for (const DataMovementRow& row : r.data_movement) sum += row.ns;
    return static_cast<double>(sum);
  });

  const ConstructNames names{before, after};
  BothByKey rows;
  collect(before, true, names, rows);
  collect(after, false, names, rows);
  for (auto& [key, both] : rows) {
    for (auto values : {&Numbers::count, &Numbers::time, &Numbers::waiting, &Numbers::imbalance}) {
      (both.then.*values).resize(before.size());
      (both.now.*values).resize(after.size());
    }
    const ConstructNames::Row& row = both.row;
    result.constructs.push_back({row.name, row.was, row.was_in_line, compare(both.then.count, both.now.count),
                                 compare(both.then.time, both.now.time), compare(both.then.waiting, both.now.waiting),
                                 compare(both.then.imbalance, both.now.imbalance)});
  }
  std::stable_sort(result.constructs.begin(), result.constructs.end(), [](const DiffRow& a, const DiffRow& b) {
    return std::abs(a.time.delta()) > std::abs(b.time.delta());
  });
  diff_devices(before, after, names, result);
  look_at_what_is_missing(before, after, result);
  return result;
}

Limit::Limit(std::string_view text) : text_{text} {
  const auto wrong = [&](const std::string& why) {
    return UsageError{"--fail-if '" + text_ + "': " + why +
                      "; as in 'time > 5%', 'waiting > 10ms' or \"time of '*for*' > 5%\""};
  };
  const std::size_t at = text.find_last_of("<>");
  if (at == std::string_view::npos) throw wrong("no < or >");
  more_ = text[at] == '>';
  std::string_view left = trimmed(text.substr(0, at)), right = trimmed(text.substr(at + 1));
  if (const std::size_t of = left.find(" of "); of != std::string_view::npos) {
    std::string_view pattern = trimmed(left.substr(of + 4));
    if (pattern.size() >= 2 && (pattern.front() == '\'' || pattern.front() == '"') && pattern.back() == pattern.front())
      pattern = pattern.substr(1, pattern.size() - 2);
    pattern_ = pattern;
    left = trimmed(left.substr(0, of));
    if (pattern_.empty()) throw wrong("nothing after 'of'");
  }
  if (left == "of" || left.ends_with(" of")) throw wrong("nothing after 'of'");
  name_ = left;
  if (name_.empty() || right.empty()) throw wrong("something is missing");
  const bool negative = right.front() == '-';
  if (negative) right.remove_prefix(1);
  percent_ = right.ends_with('%');
  if (percent_ || name_ == "count") {
    const std::string digits{percent_ ? right.substr(0, right.size() - 1) : right};
    char* end = nullptr;
    value_ = std::strtod(digits.c_str(), &end);
    if (digits.empty() || !trimmed(end).empty() || !std::isfinite(value_)) throw wrong("no number");
    if (percent_) value_ /= 100;
  } else {
    value_ = static_cast<double>(parse_duration(right));
  }
  if (negative) value_ = -value_;
}

bool Limit::passed(const Change& change) const {
  if (change.noise >= 0 && !change.beyond_noise()) return false;
  const double value = percent_ ? change.relative() : change.delta();
  return more_ ? value > value_ : value < value_;
}

std::vector<std::string> Limit::passed_by(const Diff& diff) const {
  std::vector<std::string> passed_ones;
  if (pattern_.empty()) {
    const auto found =
        std::find_if(diff.whole.begin(), diff.whole.end(), [&](const Quantity& q) { return q.name == name_; });
    if (found == diff.whole.end()) {
      std::string known;
      for (const Quantity& quantity : diff.whole) known += (known.empty() ? "" : ", ") + quantity.name;
      throw UsageError{"--fail-if '" + text_ + "': there is no " + name_ + " of a run; there are " + known};
    }
    if (passed(found->change)) passed_ones.push_back(text_);
    return passed_ones;
  }
  const auto part = name_ == "count"       ? &DiffRow::count
                    : name_ == "time"      ? &DiffRow::time
                    : name_ == "waiting"   ? &DiffRow::waiting
                    : name_ == "imbalance" ? &DiffRow::imbalance
                                           : nullptr;
  if (part == nullptr)
    throw UsageError{"--fail-if '" + text_ + "': there is no " + name_ +
                     " of a construct; there are count, time, waiting, imbalance"};
  const auto matches = [this](const std::string& name) {
    return fnmatch(pattern_.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
  };
  bool is_known = false;
  for (const DiffRow& row : diff.constructs) {
    if (!matches(row.name) && (row.was.empty() || !matches(row.was))) continue;
    is_known = true;
    if (passed(row.*part))
      passed_ones.push_back(text_ + ": " + row.name +
                            (row.was.empty() || row.name == row.was + " (before)" ? "" : " (was " + row.was + ")"));
  }
  if (!is_known)
    throw UsageError{"--fail-if '" + text_ + "': no construct of either side is called " + pattern_ +
                     "; names begin with !$omp, and * stands for any text, as in '*for*'"};
  return passed_ones;
}

}  // namespace tracer::report
