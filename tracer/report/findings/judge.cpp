// SPDX-License-Identifier: BSD-3-Clause
// What keeps a program from being faster, by the account: findings by the seconds that could be won, each with its
// place, cause, what fits to try and how sure it is; or why there is no finding.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tracer/base/config.hpp"
#include "tracer/base/text.hpp"
#include "tracer/report/findings/judge.hpp"
#include "tracer/report/findings/verdict.hpp"

namespace tracer::report {
namespace {

constexpr double least_share = 0.03;  ///< of the run's time; less is no finding
constexpr double least_rest = 0.10;   ///< of the run's time, beside the findings

/// Waiting and overhead: what is won if nothing causes it any more.
bool is_loss(const AccountRow& row) {
  switch (row.place) {
    case Place::imbalance:
    case Place::starvation:
    case Place::tasking:
    case Place::team:
    case Place::locks:
    case Place::exclusive:
      return row.of != Place::tool;
    case Place::mpi:
    case Place::mpi_idle:
      return row.wait.has_value();
    default:
      return false;
  }
}

/// Places in which a thread is part of a team, if it is in a parallel region.
bool is_in_team(Place place) {
  return place == Place::work || place == Place::imbalance || place == Place::starvation || place == Place::detached ||
         place == Place::tasking || place == Place::team || place == Place::locks || place == Place::exclusive ||
         place == Place::device || place == Place::mpi;
}

}  // namespace

Judge::Judge(Report& report, const Definitions& definitions)
    : report_{report},
      account_{report.account},
      definitions_{definitions},
      classes_{classify(definitions)},
      lacks_{what_is_not_recorded(definitions)},
      wall_{account_.wall() - std::min(account_.wall(), account_.paused)},
      threads_{std::max<std::uint64_t>(1, account_.ended != 0 ? account_.present : account_.threads)} {}

Verdict Judge::judge() {
  if (report_.events == 0 && report_.part.empty()) {
    no_advice("no events");
    note("no-events", report_.filter.empty() ? "The trace has no events: nothing was recorded."
                                             : "The trace has no events: nothing was recorded, or the filter (" +
                                                   report_.filter + ") leaves it out.");
    losses();
    summarize();
    return std::move(verdict_);
  }
  what_the_run_was();
  how_good_the_trace_is();
  if (verdict_.state == "ok" || verdict_.state == "perturbed") find();
  if (verdict_.state == "oversubscribed") oversubscription();
  std::stable_sort(verdict_.findings.begin(), verdict_.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.win > b.win; });
  summarize();
  return std::move(verdict_);
}

void Judge::note(std::string id, std::string text) {
  verdict_.notes.push_back({std::move(id), std::move(text)});
}

void Judge::no_advice(const char* why) {
  if (verdict_.state == "ok") verdict_.state = why;
}

Finding Judge::at(RegionRef region) const {
  Finding finding;
  finding.sure = doubtful_ ? "low" : "medium";
  if (region >= definitions_.regions.size()) return finding;
  const Region& known = definitions_.regions[region];
  finding.name = known.name;
  finding.file = known.source_file;
  finding.line = known.begin_line;
  finding.function = known.description;
  return finding;
}

std::string without_directive(const std::string& name) {
  return name.starts_with("!$omp ") ? name.substr(6) : name;
}

std::string others_idle(std::uint64_t ns, std::uint64_t in_all) {
  if (ns == 0) return "";
  return " Other threads idle " + time(ns) + " meanwhile: " + time(in_all) + " in all.";
}

std::string Judge::name(RegionRef region) const {
  if (region >= definitions_.regions.size()) return "an unknown place";
  const Region& known = definitions_.regions[region];
  std::string text = without_directive(known.name);
  if (!known.description.empty() && text.find(plain_function(known.description)) == std::string::npos)
    text += " in " + known.description;
  return text;
}

Directive Judge::construct(RegionRef region) const {
  return region < classes_.size() ? classes_[region].construct : Directive::other;
}

RegionRole Judge::role(RegionRef region) const {
  return region < definitions_.regions.size() ? definitions_.regions[region].role : RegionRole::unknown;
}

void Judge::sure(Finding& finding, const char* how) const {
  finding.sure = doubtful_ ? "low" : how;
}

Cells Judge::cells_of(Place place) const {
  return cells([place](const AccountRow& row) { return row.is(place); });
}

std::uint64_t Judge::sum(const Cells& cells) const {
  std::uint64_t ns = 0;
  for (const std::size_t cell : cells) ns += account_.details[cell].ns;
  return ns;
}

AccountRow Judge::summary(const Cells& cells) const {
  AccountRow all;
  const AccountRow* most = nullptr;
  for (const std::size_t cell : cells) {
    const AccountRow& row = account_.details[cell];
    if (most == nullptr || row.ns > most->ns) most = &row;
    all.ns += row.ns;
    all.count += row.count;
    all.threads = std::max(all.threads, row.threads);
    if (row.longest > all.longest) all.longest = row.longest, all.longest_at = row.longest_at;
  }
  if (most == nullptr) return all;
  all.place = most->place;
  all.of = most->of;
  all.wait = most->wait;
  all.region = most->region;
  all.cause = most->cause;
  all.parallel = most->parallel;
  return all;
}

void Judge::take(const Cells& cells) {
  taken_.resize(account_.details.size());
  for (const std::size_t cell : cells) taken_[cell] = true;
}

std::size_t Judge::split(std::size_t cell, std::uint64_t ns, Place of) {
  const std::size_t part = account_.split(cell, ns);
  account_.details[part].of = of;
  return part;
}

Cells Judge::part_of(const Cells& which, std::uint64_t ns) {
  Cells part;
  for (const std::size_t cell : which) {
    if (ns == 0) break;
    const AccountRow whole = account_.details[cell];
    const std::uint64_t taken = std::min(whole.ns, ns);
    part.push_back(taken < whole.ns ? split(cell, taken, whole.of) : cell);
    ns -= taken;
  }
  return part;
}

/// Of what other threads idle in `idle` while their process' thread is in `beside`: so large a part as the finding has
/// of that thread's own time there.
void Judge::take_idle(Cells& mine, Place idle, RegionRef beside, double part) {
  for (const std::size_t cell :
       cells([&](const AccountRow& row) { return row.is(idle) && !row.wait && row.region == beside; })) {
    const std::uint64_t whole = account_.details[cell].ns;
    const auto ns = static_cast<std::uint64_t>(std::min(1.0, part) * static_cast<double>(whole));
    if (ns != 0) mine.push_back(ns < whole ? split(cell, ns, idle) : cell);
  }
  take(mine);
}

/// Threads that are there at one time: of programs that follow each other those of one. A mean of the run, but for
/// workers that end before it.
double Judge::threads_there() const {
  double workers = 0;
  for (const AccountProcess& process : account_.processes)
    workers +=
        static_cast<double>(process.workers) * share(process.wall() - std::min(process.wall(), process.paused), wall_);
  const std::uint64_t off = account_.paused != 0 ? account_.at(Place::unknown) : 0;
  return std::max({1.0, share(there() - off, wall_), workers});
}

/// Among how many threads the time of a cell would be spread if none of it were lost: those of the teams that are in
/// its region at one time, or those that are there.
double Judge::threads_beside(const AccountRow& row) const {
  const auto found = account_.threads_in.find(row.parallel);
  return is_in_team(row.place) && found != account_.threads_in.end() ? std::max(1.0, found->second) : threads_there();
}

/// Kept when it is worth a word. `most`: ns of the cells that could be won.
void Judge::add(Finding finding, std::string id, Cells cells, std::uint64_t most) {
  take(cells);
  finding.id = std::move(id);
  finding.lost = sum(cells);
  finding.cells = std::move(cells);
  double win = 0;
  for (const std::size_t cell : finding.cells)
    win += static_cast<double>(account_.details[cell].ns) / threads_beside(account_.details[cell]);
  finding.win = static_cast<std::uint64_t>(std::llround(win * std::min(1.0, share(most, finding.lost))));
  if (finding.at != 0) finding.at -= std::min(finding.at, report_.begin);
  // What the host and others take may lie anywhere: a finding has to stand out of it.
  if (share(finding.win, wall_) >= least_share + noise_) verdict_.findings.push_back(std::move(finding));
}

// In this order: a cell of the account is of the first finding that takes it.
// clang-format off
const Judge::Row Judge::findings[] = {
    {"parallel regions", "short-regions", &Judge::short_regions, true, 0},
    {"parallel regions", "late-threads", &Judge::late_threads, false, 0},
    {"barriers", "frequent-barriers", &Judge::frequent_barriers, true, record_tasks},
    {"tasks", "detached-tasks, small-tasks, queued-tasks, starvation", &Judge::tasks, true, record_tasks},
    {"serial parts", "serial", &Judge::serial, true, 0},
    {"locks", "contention, ordered", &Judge::locks, true, 0},
    {"loops", "small-chunks", &Judge::small_chunks, true, 0},
    {"barriers", "imbalance, single, mpi-in-team", &Judge::imbalance, false, record_tasks},
    {"devices", "duplicate-transfer, round-trip, repeated-allocation, unused-allocation, unused-transfer, serial-transfer, small-transfers, short-kernels, few-teams, device-turns", &Judge::data_movement, false, 0},
    {"devices", "code-loading", &Judge::code_loading, false, 0},
    {"devices", "device-wait", &Judge::devices, false, 0},
    {"threads", "unused-threads", &Judge::unused, false, 0},
    {"threads", "preempted", &Judge::preempted_work, false, 0},
    {"MPI", "the wait states", &Judge::waits_in_mpi, false, 0},
    {"MPI", "rank-imbalance", &Judge::ranks, false, 0},
    {"MPI", "mpi-idle", &Judge::idle_beside_mpi, false, 0},
};
// clang-format on

void Judge::find() {
  for (const Row& row : findings)
    if ((row.when_perturbed || !is_perturbed()) && !lacks_.lacks(row.needs)) (this->*row.look)();
  note_held_up();
}

/// The findings that find() leaves out for what was not recorded: "a, b".
std::string Judge::not_looked_for() const {
  std::string ids;
  for (const Row& row : findings)
    if (lacks_.lacks(row.needs)) ids += (ids.empty() ? "" : ", ") + std::string{row.ids};
  return ids;
}

Judge::Rest Judge::largest_rest() const {
  std::vector<bool> found(account_.details.size());
  for (const Finding& finding : verdict_.findings)
    for (const std::size_t cell : finding.cells) found[cell] = true;
  for (const std::size_t cell : held_up_) found[cell] = true;  // others on the machine may be the reason
  std::array<Rest, places> rests{};
  for (std::size_t cell = 0; cell < found.size(); ++cell) {
    const AccountRow& row = account_.details[cell];
    if (found[cell] || !is_loss(row)) continue;
    Rest& rest = rests[static_cast<std::size_t>(row.place)];
    rest.place = row.place;
    rest.ns += row.ns;
    rest.win += static_cast<double>(row.ns) / threads_beside(row);
  }
  return *std::max_element(rests.begin(), rests.end(), [](const Rest& a, const Rest& b) { return a.win < b.win; });
}

void Judge::summarize() {
  const std::uint64_t own = account_.at(Place::work) + account_.at(Place::serial);
  const double work = share(own - std::min(own, asleep_at_work_), there() - account_.at(Place::unknown));
  if (verdict_.state != "ok" && verdict_.findings.empty()) {
    verdict_.summary = "No advice: " + (verdict_.notes.empty() ? verdict_.state : "the run " + reason()) + ".";
  } else if (!verdict_.findings.empty()) {
    const Finding& largest = verdict_.findings.front();
    const std::string& place = largest.place.empty() ? largest.name : largest.place;
    const Rest rest = largest_rest();
    const double least = std::max(static_cast<double>(largest.win), (least_rest + noise_) * static_cast<double>(wall_));
    const bool is_spread = verdict_.state == "ok" && !lacks_.misleads() && rest.win > least;
    verdict_.summary = (is_spread ? "The largest single loss is " : "The largest loss is ") + largest.id +
                       (place.empty() ? "" : " (" + place + ")") + ": at most " + time(largest.win) + " of " +
                       time(wall_) + " could be saved.";
    if (is_spread)
      verdict_.summary += " More than that is lost beside the findings: by the account " + time(rest.ns) +
                          " of the threads' time are \"" + text_of(rest.place) + "\".";
  } else if (lacks_.misleads()) {
    verdict_.summary = "No conclusion: not recorded are " + lacks_.names() + ". Record them too.";
  } else if (work > 0.8) {
    verdict_.summary =
        formatted("Nothing stands out: %.0f %% of the threads' time is the program's own work.", work * 100);
  } else {
    Place most = Place::imbalance;
    for (std::size_t p = 0; p < places; ++p) {
      const auto place = static_cast<Place>(p);
      if (place != Place::work && place != Place::serial && place != Place::absent && place != Place::unknown &&
          account_.at(place) > account_.at(most))
        most = place;
    }
    const bool slept_most = asleep_at_work_ > account_.at(most);
    verdict_.summary = formatted(
        "No single cause stands out: %.0f %% of the threads' time is the program's own work; most of the "
        "rest is \"%s\" (%s).",
        work * 100, slept_most ? "asleep in the program's own code" : text_of(most),
        time(slept_most ? asleep_at_work_ : account_.at(most)).c_str());
  }
}

std::string Judge::reason() const {
  if (verdict_.state == "killed") return "was " + ending_text(report_.facts);
  if (verdict_.state == "incomplete") return "is recorded only in part";
  if (verdict_.state == "too short") return "is too short";
  if (verdict_.state == "no events") return "has no events";
  if (verdict_.state == "part") return "is of some of the threads";
  if (verdict_.state == "perturbed") return "is slowed down by being recorded";
  return verdict_.state;
}

Verdict verdict_on(Report& report, const Definitions& definitions) {
  return Judge{report, definitions}.judge();
}

std::vector<Hint> hints_for(const Report& report) {
  std::vector<Hint> hints;
  for (const Note& one : report.verdict.notes) hints.push_back({one.id, one.text, 0});
  for (const Finding& finding : report.verdict.findings)
    hints.push_back({finding.id, finding.text + " " + finding.advice, share(finding.win, report.account.wall())});
  return hints;
}

}  // namespace tracer::report
