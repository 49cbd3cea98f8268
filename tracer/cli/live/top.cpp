// SPDX-License-Identifier: BSD-3-Clause
// `tracer top`: what a traced program does now, read from its rings without stopping it.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <optional>

#include "formats/raw/journal.hpp"
#include "formats/raw/leftovers.hpp"
#include "formats/raw/live_rings.hpp"
#include "tracer/base/clock.hpp"
#include "tracer/base/formatted.hpp"
#include "tracer/base/text.hpp"
#include "tracer/base/units.hpp"
#include "tracer/cli/live/device_watch.hpp"
#include "tracer/cli/live/recent.hpp"
#include "tracer/cli/live/thread_watch.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/convert/recover.hpp"
#include "tracer/property_names.hpp"
#include "tracer/translate/clock_fit.hpp"
#include "tracer/translate/regions/symbolize.hpp"

namespace tracer::cli {
namespace {

struct Options {
  std::uint64_t process = 0;  ///< 0: all that there are
  double interval = 1;
  std::uint64_t times = 0;
  bool json = false;
  std::string recent, output;
};

/// Records of each ring at a look: 128 KiB. More would cost without showing more.
constexpr std::size_t records_at_once = 4096;

/// Of MPI.
std::optional<std::uint64_t> rank_of(const Journal& journal) {
  const auto found = journal.facts.find(properties::fact(properties::mpi_world_rank));
  return found == journal.facts.end() ? std::nullopt : parse_number(found->second);
}

class Top {
 public:
  Top(const std::filesystem::path& spool, const std::filesystem::path& archive, std::uint64_t process)
      : rings_{spool},
        journal_{raw::raw_directory_of(archive) / "journal"},
        devices_{raw::raw_directory_of(archive)},
        process_{process} {
    const raw::JournalFile file = raw::read_journal(journal_);
    kind_ = file.journal.run.clock;
    program_ = shown(file.journal.run.program);
    begin_ = file.journal.run.begin;
    readings_ = file.journal.clock;
    learn(file.journal);
  }

  std::pair<std::uint64_t, std::uint64_t> order() const { return {rank_.value_or(~std::uint64_t{0}), process_}; }

  void look() {
    read_journal_again();
    const Ticks now = tracer::now(kind_);
    if (readings_.size() < 2 || looks_ < 2) readings_.push_back(read_clocks(kind_));
    devices_.begin_look(now);
    std::map<ChannelId, ThreadWatch> seen;  // threads that have ended are not shown on
    for (const raw::RingView& view :
         rings_.look(records_at_once, [&](ChannelId channel) { return watches_[channel].next(); })) {
      ThreadWatch& watch = seen[view.channel] = std::move(watches_[view.channel]);
      watch.see(view, now);
      devices_.see(view);
    }
    watches_ = std::move(seen);
    passed_ = last_ == 0 ? 0 : now - last_;
    last_ = now;
    ++looks_;
    const double ticks_per_second = translate::ClockFit(kind_, readings_).ticks_per_second();
    devices_.end_look([ticks_per_second](double ticks) { return ticks / ticks_per_second; });
  }

  double seconds(Ticks ticks) const {
    return static_cast<double>(ticks) / translate::ClockFit(kind_, readings_).ticks_per_second();
  }

  nlohmann::ordered_json json() {
    nlohmann::ordered_json line{{"schema", "tracer-top/1.0"}, {"process", process_}, {"program", program_}};
    if (rank_) line["rank"] = *rank_;
    const double interval = seconds(passed_);
    line["running_s"] = seconds(last_ - begin_);
    line["interval_s"] = interval;
    Rates rates;
    std::uint64_t recorded = 0, seen = 0;
    Ticks waited = 0, in_mpi = 0, seen_for = 0;
    for (const auto& [channel, watch] : watches_) {
      rates.add(watch.rates());
      recorded += watch.recorded();
      seen += watch.seen();
      waited += watch.waited();
      in_mpi += watch.in_mpi();
      seen_for += watch.seen_for();
    }
    line["records"] = recorded;
    line["records_per_s"] = interval > 0 ? static_cast<double>(recorded) / interval : 0;
    line["seen"] = seen;
    line["waiting_share"] = share(waited, seen_for);
    line["mpi_share"] = share(in_mpi, seen_for);
    line["seen_counts"] = {{"parallel", rates.parallels},
                           {"worksharing", rates.loops},
                           {"barriers_and_taskwaits", rates.barriers},
                           {"tasks_created", rates.tasks_created},
                           {"task_switches", rates.tasks_run},
                           {"locks", rates.locks},
                           {"mpi_calls", rates.mpi_calls}};
    line["threads"] = nlohmann::ordered_json::array();
    for (const auto& [channel, watch] : watches_) {
      nlohmann::ordered_json thread{{"channel", channel}, {"thread", watch.os_thread_id()}};
      thread["in"] = state_of(watch);
      thread["at"] = place_of(watch.inside().address);
      thread["for_s"] = watch.inside().since == 0 ? 0 : seconds(last_ - std::min(last_, watch.inside().since));
      thread["waiting"] = is_wait(watch.inside());
      thread["waiting_share"] = share(watch.waited(), watch.seen_for());
      thread["mpi_share"] = share(watch.in_mpi(), watch.seen_for());
      thread["records"] = watch.recorded();
      line["threads"].push_back(std::move(thread));
    }
    line["devices"] = devices_.json();
    return line;
  }

  std::string text() {
    const nlohmann::ordered_json all = json();
    std::string page = program_ + "\n";
    page += formatted("process %llu%s%s  %.0f s  %s records/s  waiting %.0f %%  in MPI %.0f %%\n",
                      static_cast<unsigned long long>(process_), rank_ ? ", rank " : "", rank_text().c_str(),
                      all["running_s"].get<double>(),
                      format_count(static_cast<std::uint64_t>(all["records_per_s"].get<double>())).c_str(),
                      all["waiting_share"].get<double>() * 100, all["mpi_share"].get<double>() * 100);
    page += devices_.text(all["interval_s"].get<double>()) + "\n";
    page += styled(
        formatted("%8s  %-20s %-32s %12s %8s %6s %12s\n", "thread", "in", "at", "for", "waiting", "MPI", "records/s"),
        "1");
    for (const auto& thread : all["threads"])
      page += formatted("%8llu  ", static_cast<unsigned long long>(thread["thread"].get<std::uint64_t>())) +
              row_of(thread, thread, all["interval_s"].get<double>());
    return page;
  }

  /// One of several processes: what its first thread is in, and the shares of all.
  static std::string heading() {
    return styled(formatted("%8s  %5s  %-16s %-20s %-32s %12s %8s %6s %12s\n", "process", "rank", "program", "in", "at",
                            "for", "waiting", "MPI", "records/s"),
                  "1");
  }
  std::string row() {
    const nlohmann::ordered_json all = json();
    const auto& threads = all["threads"];
    return formatted("%8llu  %5s  %-16.16s ", static_cast<unsigned long long>(process_), rank_text().c_str(),
                     std::filesystem::path{program_}.filename().c_str()) +
           row_of(threads.empty() ? nothing() : threads.front(), all, all["interval_s"].get<double>());
  }

 private:
  /// What comes later than the begin: the rank in MPI_Init, libraries at any time.
  void learn(const Journal& journal) {
    rank_ = rank_of(journal);
    if (symbolize_ && journal.modules.size() == modules_) return;
    modules_ = journal.modules.size();
    symbolize_ = translate::make_symbolizer(journal.modules);
    std::erase_if(places_, [](const auto& place) { return place.second.empty(); });
  }

  /// Where a rank or a place is unknown. A journal is long in the end: one without a rank is read less and less often.
  void read_journal_again() {
    constexpr Nanoseconds shortest = 2'000'000'000;
    const Nanoseconds time = read_monotonic();
    const Nanoseconds pause = has_unknown_place_ ? shortest : std::max(shortest, read_at_ - first_at_);
    if ((rank_ && !has_unknown_place_) || time < read_at_ + pause) return;
    read_at_ = time;
    has_unknown_place_ = false;
    try {
      learn(raw::read_journal(journal_).journal);
    } catch (const Error&) {  // it has just ended
    }
  }

  static double share(Ticks part, Ticks whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  }

  std::string rank_text() const { return rank_ ? std::to_string(*rank_) : std::string{}; }
  static nlohmann::ordered_json nothing() { return {{"in", ""}, {"at", ""}, {"for_s", 0.0}}; }
  /// `of`: whose shares and records.
  static std::string row_of(const nlohmann::ordered_json& thread, const nlohmann::ordered_json& of, double interval) {
    const auto ns = static_cast<std::uint64_t>(thread["for_s"].get<double>() * 1e9);
    return formatted(
        "%-20s %-32.32s %12s %6.0f %% %4.0f %% %12s\n", thread["in"].get<std::string>().c_str(),
        thread["at"].get<std::string>().c_str(), ns == 0 ? "" : duration_text(ns).c_str(),
        of["waiting_share"].get<double>() * 100, of["mpi_share"].get<double>() * 100,
        format_count(static_cast<std::uint64_t>(of["records"].get<double>() / std::max(interval, 1e-9))).c_str());
  }

  static std::string state_of(const ThreadWatch& watch) {
    const std::string name = construct_name(watch.inside());
    if (!name.empty()) return name;
    return watch.idle() ? "idle" : "running";
  }

  std::string place_of(std::uint64_t address) {
    if (address == 0) return "";
    const auto [found, fresh] = places_.try_emplace(address);
    if (!fresh) return found->second;
    const auto positions = symbolize_({address});
    has_unknown_place_ = has_unknown_place_ || positions.empty() || positions.front().module.empty();
    if (positions.empty()) return "";
    const translate::SourcePosition& position = positions.front();
    if (!position.file.empty())
      found->second =
          shown(std::filesystem::path{position.file}.filename().string()) + ":" + std::to_string(position.line);
    else
      found->second = shown(position.function);
    return found->second;
  }

  raw::LiveRings rings_;
  std::filesystem::path journal_;
  DeviceWatch devices_;
  std::uint64_t process_;
  ClockKind kind_ = ClockKind::monotonic;
  std::string program_;
  std::optional<std::uint64_t> rank_;
  std::vector<ClockSync> readings_;
  translate::Symbolizer symbolize_;
  std::size_t modules_ = 0;  ///< that it knows
  bool has_unknown_place_ = false;
  Nanoseconds first_at_ = read_monotonic(), read_at_ = first_at_;  ///< of the journal
  std::map<ChannelId, ThreadWatch> watches_;
  std::map<std::uint64_t, std::string> places_;
  Ticks begin_ = 0, last_ = 0, passed_ = 0;
  std::uint64_t looks_ = 0;
};

constexpr const char* which_ones =
    ". It shows your own processes that tracer run has started, or that have OMP_TOOL_LIBRARIES set; if TRACER_SPOOL "
    "is "
    "set for them, set it here too.";

/// That process, or all that there are.
std::vector<raw::Leftover> recorded_processes(std::uint64_t process) {
  std::vector<raw::Leftover> running;
  for (const auto& root : spool_roots()) {
    for (raw::Leftover& leftover : raw::find_leftovers(root)) {
      if (!leftover.alive || (process != 0 && leftover.process_id != process)) continue;
      running.push_back(std::move(leftover));
    }
  }
  return running;
}

/// At least one.
std::vector<raw::Leftover> find_processes(std::uint64_t process) {
  std::vector<raw::Leftover> running = recorded_processes(process);
  if (process != 0 && running.empty())
    throw Error{"process " + std::to_string(process) + " is not recorded by Tracer" + which_ones};
  if (running.empty()) throw Error{std::string{"Tracer records no process here"} + which_ones};
  return running;
}

struct Watched {
  raw::Leftover run;
  std::unique_ptr<Top> top;
};

/// Ranks in their order, others by their processes.
std::vector<Watched> watch(const std::vector<raw::Leftover>& running) {
  std::vector<Watched> all;
  for (const raw::Leftover& one : running) {
    try {
      all.push_back({one, std::make_unique<Top>(one.spool, one.archive, one.process_id)});
    } catch (const Error&) {  // it has just begun, or ended
      if (running.size() == 1) throw;
    }
  }
  return all;
}

void sort_by_rank(std::vector<Watched>& all) {
  std::sort(all.begin(), all.end(), [](const Watched& a, const Watched& b) { return a.top->order() < b.top->order(); });
}

/// Those that have begun since, with a first look at them. How many.
std::size_t add_new(std::vector<Watched>& all) {
  std::vector<raw::Leftover> running = recorded_processes(0);
  std::erase_if(running, [&](const raw::Leftover& one) {
    return std::any_of(all.begin(), all.end(), [&](const Watched& known) { return known.run.spool == one.spool; });
  });
  std::size_t added = 0;
  for (const raw::Leftover& one : running) {
    try {
      all.push_back({one, std::make_unique<Top>(one.spool, one.archive, one.process_id)});
      all.back().top->look();
      ++added;
    } catch (const Error&) {  // it has just begun: the next time
    }
  }
  return added;
}

std::string page_of(const std::vector<Watched>& all, bool json) {
  std::string page = json || all.size() == 1 ? "" : Top::heading();
  for (const Watched& one : all) {
    if (json)
      page += one.top->json().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    else
      page += all.size() == 1 ? one.top->text() : one.top->row();
  }
  return json ? page : page + "\n";
}

int run(const Options& options) {
  const std::vector<raw::Leftover> running = find_processes(options.process);
  if (!options.recent.empty()) {
    if (running.size() > 1)
      throw UsageError{"several processes record here: name the one that --recent is for (tracer top lists them)"};
    write_recent(running.front().archive, options.recent, options.output);
    return ok;
  }
  if (!options.output.empty()) throw UsageError{"--output is for --recent"};
  std::vector<Watched> all = watch(running);
  const auto pause = [&] {
    const double ns = options.interval * 1e9;
    timespec left{static_cast<time_t>(options.interval),
                  static_cast<long>(ns - 1e9 * static_cast<double>(static_cast<time_t>(options.interval)))};
    while (nanosleep(&left, &left) != 0) {
    }
  };
  for (const Watched& one : all) one.top->look();
  std::size_t watched = all.size();
  constexpr Nanoseconds between_searches = 1'000'000'000;
  Nanoseconds searched = read_monotonic();
  for (std::uint64_t i = 0; options.times == 0 || i < options.times; ++i) {
    pause();
    std::erase_if(all, [](const Watched& one) { return !raw::is_recorded_into(one.run.spool); });
    if (all.empty() && options.process == 0) {
      watched += add_new(all);
      if (!all.empty()) pause();
    }
    if (all.empty()) {
      if (!options.json) print_note(watched == 1 ? "the recording has ended." : "the recordings have ended.");
      return ok;
    }
    for (const Watched& one : all) one.top->look();
    sort_by_rank(all);
    const std::string text = page_of(all, options.json);
    try {
      options.json ? print_data(text) : print_screen(text);
    } catch (const Error&) {  // nobody reads on
      return ok;
    }
    if (options.process != 0 || read_monotonic() < searched + between_searches) continue;
    watched += add_new(all);
    searched = read_monotonic();
  }
  return ok;
}

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  app.add_option("process", options->process,
                 "Process id of a traced program (default: all traced programs, a row each)")
      ->check(positive_number())
      ->type_name("PID");
  app.add_flag("--json", options->json, "Print a line of JSON per update (docs/cli/top.md)");
  app.add_option("-i,--interval", options->interval, "Seconds between updates")
      ->capture_default_str()
      ->type_name("S")
      ->check(in_range(0.01, 3600.0));
  app.add_option("-n,--times", options->times, "Number of updates; 0: until the program ends")->capture_default_str();
  app.add_option("--recent", options->recent,
                 "Write an archive of the most recent part of the run, as in 2s or 500ms; the program continues")
      ->type_name("TIME");
  app.add_option("-o,--output", options->output, "Directory of that archive (default: ./tracer-PROGRAM-TIME-PID)")
      ->type_name("DIR");
  action = [options] { return run(*options); };
}

}  // namespace

const Command top_command{"top", "Show live what a traced program is doing", add};

}  // namespace tracer::cli
