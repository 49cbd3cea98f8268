// SPDX-License-Identifier: BSD-3-Clause
// See merge.hpp.
#include "tracer/convert/merge.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "formats/otf2/join.hpp"
#include "formats/otf2/reader.hpp"
#include "tracer/base/file.hpp"
#include "tracer/base/job_directory.hpp"
#include "tracer/base/text.hpp"
#include "tracer/convert/clocks_of_job.hpp"
#include "tracer/convert/job_place.hpp"
#include "tracer/convert/recover.hpp"
#include "tracer/convert/samples_of_job.hpp"
#include "tracer/error.hpp"

namespace tracer {
namespace fs = std::filesystem;
namespace {

/// A part's summary and where it is.
struct Part {
  fs::path directory;
  otf2::PartSummary summary;
  otf2::PartOfMpi mpi;
  long rank = -1;
  bool is_another_to_launcher = false;  ///< the launcher numbered it, but MPI takes it for started alone
  std::string host, process_id, parent_id, program, ending, mpi_abort;
  ClockOfPart clock;
};

std::string property(const std::vector<Property>& properties, std::string_view name) {
  for (const Property& p : properties)
    if (p.name == name) return p.value;
  return {};
}

std::string fact(const std::vector<Property>& properties, const std::string& name) {
  const std::string plain = property(properties, "TRACER::" + name);
  return plain.empty() ? property(properties, "TRACER::RUN::" + name) : plain;
}

/// Facts of the process that stand in its anchor, and belong to the process where there are several.
bool is_of_process(const std::string& name) {
  for (const char* prefix : {"TRACER::RUN::", "TRACER::PROCESS::"})
    if (name.starts_with(prefix)) return true;
  for (const char* whole : {"TRACER::ENDING", "TRACER::EVENTS_LOST", "TRACER::HOST", "TRACER::PROCESS_ID",
                            "TRACER::PARENT_PROCESS_ID", "TRACER::CLOCK::LINE", "TRACER::MPI::WORLD_RANK"})
    if (name == whole) return true;
  return name.starts_with("TRACER::JOB::");
}

bool is_sum(const std::string& name) {
  for (const char* prefix : {"TRACER::COUNTER::", "TRACER::REPAIRED::", "TRACER::CALLBACKS::"})
    if (name.starts_with(prefix)) return true;
  return name == "TRACER::EVENTS_LOST";
}

Part read(const fs::path& directory) {
  Part part;
  part.directory = directory;
  part.summary = otf2::read_part(directory);
  const auto& all = part.summary.properties;
  part.mpi = otf2::read_part_of_mpi(all, fact(all, "JOB::LAUNCHER"));
  if (!part.mpi.empty()) part.rank = static_cast<long>(part.mpi.rank);
  if (const auto rank = parse_number(fact(all, "JOB::RANK"))) {
    if (part.mpi.empty()) part.rank = static_cast<long>(*rank);
    part.is_another_to_launcher = part.mpi.size == 1 && *rank != 0;
  }
  part.host = property(all, "TRACER::HOST");
  part.process_id = property(all, "TRACER::PROCESS_ID");
  part.parent_id = property(all, "TRACER::PARENT_PROCESS_ID");
  part.program = property(all, "TRACER::PROGRAM");
  part.ending = property(all, "TRACER::ENDING");
  part.mpi_abort = fact(all, "MPI_ABORT");
  // What is alone in its MPI_COMM_WORLD shares it with none, whatever the launcher.
  if (part.mpi.size == 1) part.mpi.world += '\n' + part.host + '\n' + part.process_id;
  part.clock = clock_of_part(all, part.summary.clock);
  if (!part.mpi.empty() && part.summary.processes == 1) {
    part.clock.world = part.mpi.world;
    part.clock.rank = part.mpi.rank;
  }
  return part;
}

/// Archives of everything; what cannot be is said.
std::vector<Part> collect(const std::vector<fs::path>& traces, const MergeOptions& options, MergeResult& result) {
  std::vector<Part> parts;
  for (const fs::path& trace : traces) {
    try {
      if (is_unfinished(trace)) {
        recover(trace, options.conversion);
      } else if (!has_archive(trace)) {
        if (is_being_recorded(trace)) {
          result.left_out.push_back(trace.string() + " is still being recorded");
          continue;
        }
        options.convert_one ? options.convert_one(trace, options.conversion)
                            : recover(trace, options.conversion).archive;
      }
      parts.push_back(read(trace));
      const Part& part = parts.back();
      if (!parts.empty() && part.summary.event_chunk != parts.front().summary.event_chunk) {
        result.left_out.push_back(trace.string() + " has chunks of another size than the others");
        parts.pop_back();
      } else if (part.summary.clock.resolution != parts.front().summary.clock.resolution) {
        result.left_out.push_back(trace.string() + " counts time in other ticks than the others");
        parts.pop_back();
      }
    } catch (const Error& error) {
      result.left_out.push_back(trace.string() + " cannot be joined: " + error.what());
    }
  }
  return parts;
}

/// Ranks in their order, then the others as they began.
void sort(std::vector<Part>& parts) {
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    if ((a.rank >= 0) != (b.rank >= 0)) return a.rank >= 0;
    if (a.mpi.world != b.mpi.world) return a.mpi.world < b.mpi.world;
    if (a.rank != b.rank) return a.rank < b.rank;
    return a.clock.begin() < b.clock.begin();
  });
}

std::string name_of_process(const Part& part) {
  if (part.summary.first_process != "Process") return {};  // MPI Rank 3: it knows itself
  const std::string program = fs::path(part.program).filename().string();
  if (part.rank >= 0) return "Rank " + std::to_string(part.rank);
  return "Process " + part.process_id + (program.empty() ? "" : " (" + program + ")");
}

/// The process that started it: of the same kernel, and with that number when the other began.
std::uint32_t parent_of(const Part& child, const std::vector<Part>& parts) {
  std::uint32_t found = undefined_ref;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& p = parts[i];
    if (&p == &child || child.parent_id.empty() || p.process_id != child.parent_id || p.host != child.host ||
        p.clock.domain != child.clock.domain || p.clock.begin() > child.clock.begin())
      continue;
    if (found == undefined_ref || parts[found].clock.begin() < p.clock.begin()) found = static_cast<std::uint32_t>(i);
  }
  return found;
}

/// Properties of the whole: what all say alike; sums; and only true where all say so.
std::vector<Property> properties_of_job(const std::vector<Part>& parts) {
  std::map<std::string, std::pair<std::string, std::size_t>> same;
  std::map<std::string, std::uint64_t> sums;
  std::map<std::string, bool> complete;
  std::uint64_t processes = 0;
  for (const Part& part : parts) {
    processes += part.summary.processes;
    for (const Property& p : part.summary.properties) {
      if (p.name.starts_with("OTF2::")) {
        const auto [at, is_new] = complete.emplace(p.name, true);
        at->second = at->second && p.value == "true";
      } else if (is_sum(p.name)) {
        sums[p.name] += parse_number(p.value).value_or(0);
      } else if (p.name != "TRACER::PROCESSES" && !otf2::is_of_mpi_object(p.name) &&
                 !p.name.starts_with("TRACER::MPI::CLOCK::")) {
        auto& [value, times] = same[p.name];
        if (times == 0) value = p.value;
        if (value == p.value) ++times;
      }
    }
  }
  std::vector<Property> all;
  for (const auto& [name, is] : complete) all.push_back({name, is ? "true" : "false"});
  for (const auto& [name, sum] : sums) all.push_back({name, std::to_string(sum)});
  for (const auto& [name, value] : same)
    if (value.second == parts.size() && (parts.size() == 1 || !is_of_process(name))) all.push_back({name, value.first});
  all.push_back({"TRACER::PROCESSES", std::to_string(processes)});
  return all;
}

/// The share of one of several mergers: neighbours, so that their result is one run of ranks.
std::vector<Part> share(std::vector<Part> parts, unsigned part, unsigned of) {
  const std::size_t begin = parts.size() * (part - 1) / of, end = parts.size() * part / of;
  return {std::make_move_iterator(parts.begin() + static_cast<std::ptrdiff_t>(begin)),
          std::make_move_iterator(parts.begin() + static_cast<std::ptrdiff_t>(end))};
}

/// Each process that a launcher of another MPI has started takes itself for one that was started alone.
void say_strange_launcher(const std::vector<Part>& parts, MergeResult& result) {
  const auto others = std::count_if(parts.begin(), parts.end(), [](const Part& p) { return p.is_another_to_launcher; });
  if (others == 0) return;
  result.notes.push_back(std::to_string(others + 1) +
                         " processes of one job are each rank 0 of 1: is its launcher (mpirun) that of the MPI the "
                         "program is linked with?");
}

void say_missing_ranks(const std::vector<Part>& parts, MergeResult& result) {
  struct World {
    std::uint32_t size = 0;
    std::set<long> ranks;
    std::uint64_t twice = 0;
    const Part* first = nullptr;  // of those that are there twice
  };
  std::map<std::string, World> worlds;
  for (const Part& part : parts) {
    if (part.mpi.empty()) continue;
    World& world = worlds[part.mpi.world];
    world.size = part.mpi.size;
    for (std::uint32_t p = 0; p < part.summary.processes; ++p) {
      if (world.ranks.insert(part.rank + static_cast<long>(p)).second) continue;
      ++world.twice;
      if (world.first == nullptr) world.first = &part;
    }
  }
  for (const auto& [name, world] : worlds) {
    if (world.twice == 0) continue;
    result.notes.push_back(std::to_string(world.twice) + (world.twice == 1 ? " rank is" : " ranks are") +
                           " there twice, the first of them rank " + std::to_string(world.first->rank) + ": " +
                           world.first->directory.string());
  }
  for (const auto& [name, world] : worlds) {
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
ClocksOfJob clocks_of(const std::vector<Part>& parts) {
  std::vector<ClockOfPart> clocks;
  for (const Part& part : parts) clocks.push_back(part.clock);
  const auto domains = domains_of(clocks);
  std::vector<MessageOfJob> messages;
  if (std::any_of(domains.begin(), domains.end(), [](std::uint32_t domain) { return domain != 0; })) {
    std::vector<PartWithMessages> ends;
    for (std::size_t i = 0; i < parts.size(); ++i)
      ends.push_back(
          {parts[i].directory, parts[i].summary.processes == 1 ? parts[i].mpi : otf2::PartOfMpi{}, domains[i]});
    messages = messages_of(ends);
  }
  return bring_together(clocks, messages);
}

std::string said_of(const ClocksOfJob& clocks) {
  char uncertainty[32];
  std::snprintf(uncertainty, sizeof uncertainty, "%.1f us", clocks.uncertainty * 1e-3);
  std::string line = std::to_string(clocks.domains) + " clocks are put together to " + uncertainty + " by " +
                     format_count(clocks.messages) + " messages between them";
  if (clocks.reversed != 0) line += "; " + format_count(clocks.reversed) + " contradict the others";
  return line;
}

MergeResult merge_parts(std::vector<Part> parts, const fs::path& directory, const MergeOptions& options,
                        MergeResult result) {
  sort(parts);
  if (options.of != 0) parts = share(std::move(parts), options.part, options.of);
  if (parts.empty()) {
    std::string why;
    for (const std::string& line : result.left_out) why += "\n" + line;
    throw Error("there is nothing to merge" + why);
  }
  const ClocksOfJob common = clocks_of(parts);
  if (common.domains > 1) result.clocks = said_of(common);
  std::vector<otf2::PartToJoin> joined;
  SamplesOfJob samples;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    otf2::PartToJoin one;
    one.directory = part.directory;
    one.identity.processes = part.summary.processes;
    one.identity.mpi = part.mpi;
    one.clock = common.offsets[i];
    if (part.summary.processes == 1) {
      one.identity.process_name = parts.size() == 1 ? std::string{} : name_of_process(part);
      one.identity.parent = parent_of(part, parts);
      for (const Property& p : part.summary.properties)
        if (is_of_process(p.name)) one.identity.properties.push_back(p);
    }
    const std::string who = part.rank >= 0 ? "rank " + std::to_string(part.rank) : "process " + part.process_id;
    if (!part.mpi_abort.empty())  // which ended the others
      result.deaths.insert(result.deaths.begin(), who + " called MPI_Abort with error code " + part.mpi_abort);
    else if (part.ending.starts_with("none"))
      result.deaths.push_back(who + " did not end by itself");
    try {
      one.identity.sampled = samples.add(part.directory, one.clock);
    } catch (const Error& error) {  // its events are joined nevertheless
      result.left_out.push_back(std::string{"samples of "} + who + ": " + error.what());
    }
    joined.push_back(std::move(one));
  }
  if (options.of == 0) {
    say_strange_launcher(parts, result);
    say_missing_ranks(parts, result);
  }
  otf2::JoinOptions whole;
  whole.clock = common.clock;
  whole.event_chunk = parts.front().summary.event_chunk;
  whole.properties = properties_of_job(parts);
  whole.properties.insert(whole.properties.end(), common.properties.begin(), common.properties.end());
  whole.creator = "Tracer";
  whole.share = options.of != 0;
  const std::string launcher = fact(parts.front().summary.properties, "JOB::LAUNCHER");
  if (parts.size() > 1 && !launcher.empty()) whole.properties.push_back({"TRACER::JOB::LAUNCHER", launcher});
  whole.description = parts.front().program;
  whole.before_anchor = [&] { samples.write(directory); };
  const otf2::JoinResult done = otf2::join(joined, directory, whole);
  result.archive = directory / "traces.otf2";
  result.processes = done.processes;
  result.locations = done.locations;
  result.events = done.events;
  result.copied = done.copied;
  result.parts = parts.size();
  for (const Part& part : parts) result.bytes += part.summary.bytes;
  if (done.not_joined != 0)
    result.notes.push_back(std::to_string(done.not_joined) + " definitions of other kinds are not in it");
  return result;
}

class Watch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

MergeResult merge(const std::vector<fs::path>& traces, const fs::path& directory, const MergeOptions& options) {
  const Watch watch;
  MergeResult result;
  std::vector<Part> parts = collect(traces, options, result);
  result = merge_parts(std::move(parts), directory, options, std::move(result));
  result.seconds = watch.seconds();
  return result;
}

MergeResult merge_job(const fs::path& job, const MergeOptions& options) {
  const Watch watch;
  const UniqueFd lock{::open(job.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!lock) throw Error(system_message("cannot open " + job.string(), errno));
  ::flock(lock.get(), LOCK_EX);
  finish_earlier(job);
  MergeResult result;
  const auto traces = traces_below(job);
  std::vector<Part> parts = collect(traces, options, result);
  if (parts.size() == 1 && parts.front().directory == job) {
    ::rmdir((job / "parts").c_str());
    result.nothing_to_do = true;
    result.archive = job / "traces.otf2";
    result.parts = result.processes = 1;
    result.locations = parts.front().summary.locations;
    result.events = parts.front().summary.events;
    result.bytes = parts.front().summary.bytes;
    return result;
  }
  std::vector<fs::path> joined;
  for (const Part& part : parts) joined.push_back(part.directory);
  const fs::path merging = begin_archive(job, joined);
  try {
    result = merge_parts(std::move(parts), merging, options, std::move(result));
  } catch (...) {
    std::error_code error;
    fs::remove_all(merging, error);
    throw;
  }
  if (result.ranks_missing != 0) keep_parts(job);
  take_place(job);
  result.archive = job / "traces.otf2";
  result.seconds = watch.seconds();
  return result;
}

std::string summary_of(const MergeResult& result) {
  std::string line = format_count(result.processes) + (result.processes == 1 ? " process, " : " processes, ") +
                     format_count(result.locations) + " locations, " + format_count(result.events) + " events, " +
                     format_bytes(result.bytes) + ": " + result.archive.string();
  if (!result.nothing_to_do) {
    char text[64];
    std::snprintf(text, sizeof text, "; joined in %.1f ms", result.seconds * 1e3);
    line += text;
  }
  if (!result.clocks.empty()) line += "; " + result.clocks;
  std::size_t said = 0;
  for (const std::string& death : result.deaths) {
    if (++said > 10) break;
    line += (said == 1 ? "; " : ", ") + death;
  }
  if (result.deaths.size() > 10) line += " and " + std::to_string(result.deaths.size() - 10) + " more";
  return line;
}

}  // namespace tracer
