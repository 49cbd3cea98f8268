// SPDX-License-Identifier: BSD-3-Clause
// See part_of_job.hpp.
#include "tracer/merge/part_of_job.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "tracer/base/text.hpp"
#include "tracer/property_names.hpp"

namespace tracer {
namespace fs = std::filesystem;
namespace {

std::string fact(const std::vector<Property>& properties, const std::string& name) {
  const std::string plain = property_value(properties, properties::ours + name);
  return plain.empty() ? property_value(properties, properties::run + name) : plain;
}

bool is_sum(const std::string& name) {
  for (const char* prefix : {properties::counter, properties::repaired, properties::callbacks})
    if (name.starts_with(prefix)) return true;
  return name == properties::events_lost;
}

/// What ClocksOfJob::properties has anew.
bool is_of_clocks(const std::string& name) {
  for (const char* one : {properties::clock_line, properties::clock_domains, properties::clock_uncertainty,
                          properties::clock_messages, properties::clock_reversed, properties::job_clock_domain})
    if (name == one) return true;
  return name.starts_with(properties::mpi_clock);
}

/// What holds for some of the processes limits what follows from the whole. What a runtime does not report is missing
/// of the whole only where it is of all.
bool says_what_is_missing(std::string_view name) {
  for (const char* one : {properties::filter, properties::part, properties::provenance, properties::not_recorded})
    if (name == one) return true;
  if (!name.starts_with(properties::setting)) return false;
  name.remove_prefix(std::string_view{properties::setting}.size());
  return name == "TRACER_RECORD" || name == "TRACER_ON_FULL";
}

/// What is missing of the processes: each entry once, "; " between them, as TRACER::FILTER has its rules.
class EntriesOfJob {
 public:
  /// The first value is there as a whole, the others as far as there is room.
  void add(const std::string& value) {
    constexpr std::size_t most_text = 32 * 1024;  // an archive's properties share 256 KiB
    constexpr std::string_view separator = "; ";
    const bool is_first = text_.empty();
    for (std::size_t at = 0; at < value.size();) {
      const std::size_t end = std::min(value.find(separator, at), value.size());
      const std::string entry = value.substr(at, end - at);
      at = end + separator.size();
      const bool has_room = is_first || text_.size() + entry.size() <= most_text;
      append(has_room ? entry : "...");
    }
  }
  const std::string& text() const { return text_; }

 private:
  void append(const std::string& entry) {
    if (known_.insert(entry).second) text_ += (text_.empty() ? "" : "; ") + entry;
  }

  std::set<std::string> known_;
  std::string text_;
};

}  // namespace

bool is_of_process(const std::string& name) {
  if (name.starts_with(properties::run)) return true;
  for (const char* whole : {properties::ending, properties::events_lost, properties::host, properties::process_id,
                            properties::parent_process_id, properties::clock_line, properties::mpi_world_rank})
    if (name == whole) return true;
  return name.starts_with(properties::job);
}

PartOfJob read_part_of_job(const fs::path& directory, bool own_too) {
  PartOfJob part;
  part.directory = directory;
  part.summary = otf2::read_part(directory, own_too);
  auto& all = part.summary.properties;
  part.launcher = fact(all, properties::fact(properties::job_launcher));
  otf2::PartOfMpi mpi = otf2::read_part_of_mpi(all, part.launcher);
  std::erase_if(all, [](const Property& p) { return otf2::is_of_mpi_object(p.name); });
  all.shrink_to_fit();
  if (!mpi.empty()) part.rank = static_cast<long>(mpi.rank);
  if (const auto rank = parse_number(fact(all, properties::fact(properties::job_rank)))) {
    if (mpi.empty()) part.rank = static_cast<long>(*rank);
    part.is_another_to_launcher = mpi.size == 1 && *rank != 0;
  }
  part.host = property_value(all, properties::host);
  part.process_id = property_value(all, properties::process_id);
  part.parent_id = property_value(all, properties::parent_process_id);
  part.program = property_value(all, properties::program);
  part.ending = property_value(all, properties::ending);
  part.not_recorded = property_value(all, properties::not_recorded);
  part.mpi_abort = fact(all, properties::run_fact(properties::run_mpi_abort));
  // What is alone in its MPI_COMM_WORLD shares it with none, whatever the launcher.
  if (mpi.size == 1) mpi.world += '\n' + part.host + '\n' + part.process_id;
  part.clock = clock_of_part(all, part.summary.clock);
  if (!mpi.empty() && part.summary.processes == 1) {
    part.clock.world = mpi.world;
    part.clock.rank = mpi.rank;
  }
  part.mpi = std::make_shared<const otf2::PartOfMpi>(std::move(mpi));
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
  if (part.summary.first_process != "Process") return {};  // MPI Rank 3: it has a name of its own
  const std::string program = fs::path(part.program).filename().string();
  if (part.rank >= 0) return "Rank " + std::to_string(part.rank);
  return "Process " + part.process_id + (program.empty() ? "" : " (" + program + ")");
}

std::vector<std::uint32_t> parents_of(const std::vector<PartOfJob>& parts) {
  using Process = std::tuple<std::string_view, std::string_view, std::string_view>;
  std::map<Process, std::vector<std::uint32_t>> numbered;  // a number may have been several processes', one by one
  for (std::uint32_t i = 0; i < parts.size(); ++i)
    numbered[{parts[i].clock.domain, parts[i].host, parts[i].process_id}].push_back(i);
  std::vector<std::uint32_t> parents(parts.size(), undefined_ref);
  for (std::uint32_t child = 0; child < parts.size(); ++child) {
    const PartOfJob& c = parts[child];
    const auto of_number = numbered.find({c.clock.domain, c.host, c.parent_id});
    if (c.parent_id.empty() || of_number == numbered.end()) continue;
    std::uint32_t& found = parents[child];
    for (const std::uint32_t p : of_number->second) {
      if (p == child || parts[p].clock.begin() > c.clock.begin()) continue;
      if (found == undefined_ref || parts[found].clock.begin() < parts[p].clock.begin()) found = p;
    }
  }
  return parents;
}

std::vector<Property> properties_of_job(const std::vector<PartOfJob>& parts) {
  std::map<std::string, std::pair<std::string, std::size_t>> same;
  std::map<std::string, std::uint64_t> sums;
  std::map<std::string, bool> complete;
  std::map<std::string, EntriesOfJob> missing;
  std::uint64_t processes = 0;
  for (const PartOfJob& part : parts) {
    processes += part.summary.processes;
    for (const Property& p : part.summary.properties) {
      if (p.name.starts_with("OTF2::")) {
        const auto [at, is_new] = complete.emplace(p.name, true);
        at->second = at->second && p.value == "true";
      } else if (is_sum(p.name)) {
        sums[p.name] += parse_number(p.value).value_or(0);
      } else if (says_what_is_missing(p.name)) {
        missing[p.name].add(p.value);
      } else if (p.name != properties::processes && !is_of_clocks(p.name)) {
        auto& [value, times] = same[p.name];
        if (times == 0) value = p.value;
        if (value == p.value) ++times;
      }
    }
  }
  std::vector<Property> all;
  for (const auto& [name, is] : complete) all.push_back({name, is ? "true" : "false"});
  for (const auto& [name, sum] : sums) all.push_back({name, std::to_string(sum)});
  for (const auto& [name, entries] : missing) all.push_back({name, entries.text()});
  for (const auto& [name, value] : same)
    if (value.second == parts.size() && (parts.size() == 1 || !is_of_process(name))) all.push_back({name, value.first});
  all.push_back({properties::processes, std::to_string(processes)});
  return all;
}

}  // namespace tracer
