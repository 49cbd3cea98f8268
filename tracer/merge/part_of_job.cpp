// SPDX-License-Identifier: BSD-3-Clause
// See part_of_job.hpp.
#include "tracer/merge/part_of_job.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "tracer/base/text.hpp"

namespace tracer {
namespace fs = std::filesystem;
namespace {

std::string property(const std::vector<Property>& properties, std::string_view name) {
  for (const Property& p : properties)
    if (p.name == name) return p.value;
  return {};
}

std::string fact(const std::vector<Property>& properties, const std::string& name) {
  const std::string plain = property(properties, "TRACER::" + name);
  return plain.empty() ? property(properties, "TRACER::RUN::" + name) : plain;
}

bool is_sum(const std::string& name) {
  for (const char* prefix : {"TRACER::COUNTER::", "TRACER::REPAIRED::", "TRACER::CALLBACKS::"})
    if (name.starts_with(prefix)) return true;
  return name == "TRACER::EVENTS_LOST";
}

constexpr std::string_view not_recorded_property = "TRACER::NOT_RECORDED";

}  // namespace

bool is_of_process(const std::string& name) {
  for (const char* prefix : {"TRACER::RUN::", "TRACER::PROCESS::"})
    if (name.starts_with(prefix)) return true;
  for (const char* whole : {"TRACER::ENDING", "TRACER::EVENTS_LOST", "TRACER::HOST", "TRACER::PROCESS_ID",
                            "TRACER::PARENT_PROCESS_ID", "TRACER::CLOCK::LINE", "TRACER::MPI::WORLD_RANK"})
    if (name == whole) return true;
  return name.starts_with("TRACER::JOB::");
}

PartOfJob read_part_of_job(const fs::path& directory) {
  PartOfJob part;
  part.directory = directory;
  part.summary = otf2::read_part(directory);
  const auto& all = part.summary.properties;
  part.launcher = fact(all, "JOB::LAUNCHER");
  part.mpi = otf2::read_part_of_mpi(all, part.launcher);
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
  part.not_recorded = property(all, not_recorded_property);
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

void sort_parts(std::vector<PartOfJob>& parts) {
  std::map<std::string, std::uint64_t> began;  // by launcher
  for (const PartOfJob& part : parts) {
    const auto [known, is_new] = began.emplace(part.launcher, part.clock.begin());
    if (!is_new) known->second = std::min(known->second, part.clock.begin());
  }
  std::stable_sort(parts.begin(), parts.end(), [&](const PartOfJob& a, const PartOfJob& b) {
    if ((a.rank >= 0) != (b.rank >= 0)) return a.rank >= 0;
    if (a.launcher != b.launcher)
      return std::tie(began[a.launcher], a.launcher) < std::tie(began[b.launcher], b.launcher);
    if (a.rank != b.rank) return a.rank < b.rank;
    return a.clock.begin() < b.clock.begin();
  });
}

std::string name_of_process(const PartOfJob& part) {
  if (part.summary.first_process != "Process") return {};  // MPI Rank 3: it knows itself
  const std::string program = fs::path(part.program).filename().string();
  if (part.rank >= 0) return "Rank " + std::to_string(part.rank);
  return "Process " + part.process_id + (program.empty() ? "" : " (" + program + ")");
}

std::uint32_t parent_of(const PartOfJob& child, const std::vector<PartOfJob>& parts) {
  std::uint32_t found = undefined_ref;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const PartOfJob& p = parts[i];
    if (&p == &child || child.parent_id.empty() || p.process_id != child.parent_id || p.host != child.host ||
        p.clock.domain != child.clock.domain || p.clock.begin() > child.clock.begin())
      continue;
    if (found == undefined_ref || parts[found].clock.begin() < p.clock.begin()) found = static_cast<std::uint32_t>(i);
  }
  return found;
}

std::vector<Property> properties_of_job(const std::vector<PartOfJob>& parts) {
  std::map<std::string, std::pair<std::string, std::size_t>> same;
  std::map<std::string, std::uint64_t> sums;
  std::map<std::string, bool> complete;
  std::uint64_t processes = 0;
  for (const PartOfJob& part : parts) {
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
    if ((value.second == parts.size() || name == not_recorded_property) && (parts.size() == 1 || !is_of_process(name)))
      all.push_back({name, value.first});
  all.push_back({"TRACER::PROCESSES", std::to_string(processes)});
  return all;
}

}  // namespace tracer
