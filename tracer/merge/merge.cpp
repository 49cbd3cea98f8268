// SPDX-License-Identifier: BSD-3-Clause
// See merge.hpp.
#include "tracer/merge/merge.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "formats/otf2/join/join.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/formatted.hpp"
#include "tracer/base/text.hpp"
#include "tracer/convert/recover.hpp"
#include "tracer/convert/verify.hpp"
#include "tracer/error.hpp"
#include "tracer/job/job_directory.hpp"
#include "tracer/merge/clocks_of_job.hpp"
#include "tracer/merge/collect.hpp"
#include "tracer/merge/job_place.hpp"
#include "tracer/merge/part_of_job.hpp"
#include "tracer/merge/samples_of_job.hpp"
#include "tracer/merge/shares.hpp"
#include "tracer/property_names.hpp"
#include "tracer/replay/run_facts.hpp"
#include "tracer/translate/parallel_for.hpp"

namespace tracer {
namespace fs = std::filesystem;
namespace {

/// Each process that a launcher of another MPI has started takes itself for one that was started alone.
void note_strange_launcher(const std::vector<PartOfJob>& parts, MergeResult& result) {
  const auto others =
      std::count_if(parts.begin(), parts.end(), [](const PartOfJob& p) { return p.is_another_to_launcher; });
  if (others == 0) return;
  result.notes.push_back(std::to_string(others + 1) +
                         " processes of one job report rank 0 of 1: check that mpirun and the program use the same "
                         "MPI.");
}

/// Some OpenMP runs on a runtime without tool support; the ranks' calls of MPI are there nevertheless.
void note_not_recorded(const std::vector<PartOfJob>& parts, MergeResult& result) {
  const auto lacks = [](const PartOfJob& part) { return !part.not_recorded.empty(); };
  const auto count = std::count_if(parts.begin(), parts.end(), lacks);
  if (count == 0) return;
  result.notes.push_back("of " + std::to_string(parts.size()) + " processes " + std::to_string(count) + " used " +
                         std::find_if(parts.begin(), parts.end(), lacks)->not_recorded +
                         " without libtracer-gomp.so: it is not in the trace. Run with: tracer run -- ...");
}

void note_missing_ranks(const std::vector<PartOfJob>& parts, MergeResult& result) {
  struct World {
    std::uint32_t size = 0;
    std::set<long> ranks;
    std::uint64_t twice = 0;
    const PartOfJob* first = nullptr;  // of those that are there twice
  };
  std::map<std::string, World> worlds;
  for (const PartOfJob& part : parts) {
    if (part.mpi->empty()) continue;
    World& world = worlds[part.mpi->world];
    world.size = part.mpi->size;
    for (std::uint32_t p = 0; p < part.summary.processes; ++p) {
      if (world.ranks.insert(part.rank + static_cast<long>(p)).second) continue;
      ++world.twice;
      if (world.first == nullptr) world.first = &part;
    }
  }
  for (const auto& [name, world] : worlds) {
    if (world.twice != 0)
      result.notes.push_back(std::to_string(world.twice) + (world.twice == 1 ? " rank is" : " ranks are") +
                             " there twice, the first of them rank " + std::to_string(world.first->rank) + ": " +
                             world.first->directory.string());
    std::string missing;
    std::size_t count = 0;
    for (std::uint32_t rank = 0; rank < world.size; ++rank) {
      if (world.ranks.contains(static_cast<long>(rank))) continue;
      if (++count <= 10) missing += (missing.empty() ? "" : ", ") + std::to_string(rank);
    }
    result.ranks_missing += count;
    if (count != 0)
      result.notes.push_back("of " + std::to_string(world.size) + " ranks " + std::to_string(count) +
                             " left no trace (" + missing + (count > 10 ? ", ..." : "") +
                             "); merge again when it has come");
  }
}

/// The program's own messages are looked at only where there are several clocks.
ClocksOfJob clocks_of(const std::vector<PartOfJob>& parts, unsigned threads) {
  std::vector<ClockOfPart> clocks;
  for (const PartOfJob& part : parts) clocks.push_back(part.clock);
  const auto domains = domains_of(clocks);
  std::vector<MessageOfJob> messages;
  if (std::any_of(domains.begin(), domains.end(), [](std::uint32_t domain) { return domain != 0; })) {
    std::vector<PartWithMessages> ends;
    const auto nowhere = std::make_shared<const otf2::PartOfMpi>();
    for (std::size_t i = 0; i < parts.size(); ++i)
      ends.push_back({parts[i].directory, parts[i].summary.processes == 1 ? parts[i].mpi : nowhere, domains[i]});
    messages = messages_of(ends, threads);
  }
  return bring_together(clocks, messages);
}

std::string clocks_line(const ClocksOfJob& clocks) {
  std::string line = std::to_string(clocks.domains) + " clocks are put together to " +
                     formatted("%.1f us", clocks.uncertainty * 1e-3) + " by " + format_count(clocks.messages) +
                     " messages between them";
  if (clocks.reversed != 0) line += "; " + format_count(clocks.reversed) + " contradict the others";
  return line;
}

/// And reads it back: event files are links to those of the parts, which were read; copies are read.
otf2::JoinResult join_or_leave_nothing(const std::vector<otf2::PartToJoin>& parts, const fs::path& directory,
                                       const otf2::JoinOptions& options, unsigned threads) try {
  const otf2::JoinResult done = otf2::join(parts, directory, options);
  verify_archive(directory, done.copied == 0 ? Events::begin : Events::all, threads);
  return done;
} catch (const otf2::NotBegun&) {
  ::rmdir(directory.c_str());  // it may be empty
  throw;
} catch (const Error&) {
  remove_begun(directory);
  throw;
}

MergeResult merge_parts(std::vector<PartOfJob> parts, const fs::path& directory, const MergeOptions& options,
                        MergeResult result) {
  sort_parts(parts);
  if (parts.empty()) {
    std::string why;
    for (const std::string& line : result.left_out) why += "\n" + line;
    throw Error("there is nothing to merge" + why);
  }
  const ClocksOfJob common = clocks_of(parts, translate::threads_to_use(options.conversion.threads));
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (Property& p : parts[i].summary.properties) p = in_common_time(std::move(p), common.offsets[i]);
  if (common.domains > 1) result.clocks = clocks_line(common);
  std::vector<otf2::PartToJoin> joined;
  SamplesOfJob samples;
  const std::vector<std::uint32_t> parents = parents_of(parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const PartOfJob& part = parts[i];
    otf2::PartToJoin one;
    one.directory = part.directory;
    one.identity.processes = part.summary.processes;
    one.identity.mpi = part.mpi;
    one.clock = common.offsets[i];
    if (!one.clock.empty())
      one.identity.in_whole = [&line = common.offsets[i]](const Property& p) { return in_common_time(p, line); };
    if (part.summary.processes == 1) {
      one.identity.process_name = parts.size() == 1 ? std::string{} : name_of_process(part);
      one.identity.parent = parents[i];
      for (const Property& p : part.summary.properties)
        if (is_of_process(p.name)) one.identity.properties.push_back(p);
    }
    const std::string who = part.rank >= 0 ? "rank " + std::to_string(part.rank) : "process " + part.process_id;
    if (!part.mpi_abort.empty())  // which ended the others
      result.deaths.insert(result.deaths.begin(), who + " called MPI_Abort with error code " + part.mpi_abort);
    else if (report::run_facts(part.summary.properties).is_cut())
      result.deaths.push_back(who + " did not end by itself");
    try {
      one.identity.sampled = samples.add(part.directory, one.clock);
    } catch (const Error& error) {  // its events are joined nevertheless
      result.left_out.push_back(std::string{"samples of "} + who + ": " + error.what());
      keep_samples_of(directory, part.directory);
    }
    joined.push_back(std::move(one));
  }
  if (std::string periods = samples.periods_text(); !periods.empty()) result.notes.push_back(std::move(periods));
  if (options.of == 0) {
    note_strange_launcher(parts, result);
    note_missing_ranks(parts, result);
    note_not_recorded(parts, result);
  }
  otf2::JoinOptions whole;
  whole.clock = common.clock;
  whole.event_chunk = parts.front().summary.event_chunk;
  whole.properties = properties_of_job(parts);
  if (result.ranks_missing != 0)
    for (Property& property : whole.properties)
      if (property.name == properties::mpi_complete) property.value = "false";
  whole.properties.insert(whole.properties.end(), common.properties.begin(), common.properties.end());
  whole.creator = "Tracer";
  whole.share = options.of != 0;
  const std::string& launcher = parts.front().launcher;
  if (parts.size() > 1 && !launcher.empty()) whole.properties.push_back({properties::job_launcher, launcher});
  whole.description = parts.front().program;
  whole.before_anchor = [&] { samples.write(directory); };
  const otf2::JoinResult done = join_or_leave_nothing(joined, directory, whole, options.conversion.threads);
  result.archive = directory / "traces.otf2";
  result.processes = done.processes;
  result.locations = done.locations;
  result.events = done.events;
  result.copied = done.copied;
  result.parts = parts.size();
  for (const PartOfJob& part : parts) result.bytes += part.summary.bytes;
  if (done.not_joined != 0)
    result.notes.push_back(std::to_string(done.not_joined) + " definitions of other kinds are not in it");
  return result;
}

/// Throws where the trace in the job's own directory was left out.
void require_place(const fs::path& job, const std::vector<PartOfJob>& parts, const MergeResult& result) {
  if (parts.empty()) return;
  for (const std::string& line : result.left_out)
    if (line.starts_with(job.string() + ' ')) throw PlaceTaken(line);
}

Error parts_kept(const Error& why) {
  return Error{std::string{why.what()} + "; the parts are as they were"};
}

class Watch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

MergeResult merge_within(const fs::path& directory, const MergeOptions& options) {
  const fs::path job = directory.filename().empty() ? directory.parent_path() : directory;  // as in its traces' paths
  const Watch watch;
  const UniqueFd lock{::open(job.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!lock) throw Error(system_message("cannot open " + job.string(), errno));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    if (options.conversion.waiting) options.conversion.waiting();
    ::flock(lock.get(), LOCK_EX);
  }
  finish_earlier(job);
  MergeResult result;
  const bool is_recorded = is_being_recorded(job);
  if (!is_recorded) set_other_raw_apart(job);
  const auto traces = traces_below(job);
  if (is_recorded && traces.size() > 1) throw PlaceTaken(job.string() + " is still being recorded");
  std::vector<PartOfJob> parts = collect(traces, options, result);
  require_place(job, parts, result);
  if (parts.size() == 1 && parts.front().directory == job) {
    ::rmdir((job / "parts").c_str());
    result.nothing_to_do = true;
    result.archive = job / "traces.otf2";
    result.parts = 1;
    result.processes = parts.front().summary.processes;
    result.locations = parts.front().summary.locations;
    result.events = parts.front().summary.events;
    result.bytes = parts.front().summary.bytes;
    return result;
  }
  std::vector<fs::path> joined;
  for (const PartOfJob& part : parts) joined.push_back(part.directory);
  const fs::path merging = job / "merging";
  try {
    begin_archive(job, joined);
    result = merge_parts(std::move(parts), merging, options, std::move(result));
  } catch (const Error& error) {
    std::error_code ignored;
    fs::remove_all(merging, ignored);
    throw parts_kept(error);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(merging, ignored);
    throw;
  }
  if (result.ranks_missing != 0) keep_parts(job);
  take_place(job);
  result.archive = job / "traces.otf2";
  result.seconds = watch.seconds();
  return result;
}

/// For messages: a directory that was opened as `at` gets the name `place`, which users gave it.
void name_by(MergeResult& result, const fs::path& at, const fs::path& place) {
  result.archive = place / "traces.otf2";
  for (auto* lines : {&result.notes, &result.left_out})
    for (std::string& line : *lines) line = with_path(std::move(line), at, place);
}

}  // namespace

MergeResult merge(const std::vector<fs::path>& traces, const fs::path& directory, const MergeOptions& options) {
  const Watch watch;
  MergeResult result;
  std::vector<PartOfJob> parts =
      collect(options.of == 0 ? traces : share_of(traces, options.part, options.of), options, result);
  try {
    result = merge_parts(std::move(parts), directory, options, std::move(result));
  } catch (const Error& error) {
    throw parts_kept(error);
  }
  result.seconds = watch.seconds();
  return result;
}

MergeResult merge_job(const fs::path& at, const MergeOptions& options) {
  MergeResult result = merge_within(at, options);
  name_by(result, at, options.job);
  return result;
}

std::string summary_of(const MergeResult& result) {
  std::string line = format_counted(result.processes, "process") + ", " + format_counted(result.locations, "location") +
                     ", " + format_counted(result.events, "event") + ", " + format_bytes(result.bytes) + ": " +
                     result.archive.string();
  line +=
      result.nothing_to_do ? "; it was one archive already" : formatted("; joined in %.1f ms", result.seconds * 1e3);
  if (!result.clocks.empty()) line += "; " + result.clocks;
  std::size_t listed = 0;
  for (const std::string& death : result.deaths) {
    if (++listed > 10) break;
    line += (listed == 1 ? "; " : ", ") + death;
  }
  if (result.deaths.size() > 10) line += " and " + std::to_string(result.deaths.size() - 10) + " more";
  return line;
}

}  // namespace tracer
