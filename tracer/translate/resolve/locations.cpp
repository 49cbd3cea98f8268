// SPDX-License-Identifier: BSD-3-Clause
// Threads become locations.
#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "tracer/base/text.hpp"
#include "tracer/property_names.hpp"
#include "tracer/translate/resolve/resolve.hpp"

namespace tracer::translate {
namespace {

/// One that never met OpenMP: these are numbered.
constexpr const char* plain_thread = "Thread";

ChannelId master_of(const Tables& tables, const Journal& journal) {
  for (ChannelId c = 0; c < tables.channels.size(); ++c)
    if (c < journal.channels.size() && journal.channels[c].os_thread_id == journal.run.main_thread_id) return c;
  return 0;
}

/// "1:2" for rank 2 of a team whose master has rank 1 in the team around it; "" for an initial thread.
std::string path_of(const Tables& tables, ChannelId channel, ParallelId id, unsigned depth, ChannelId* root) {
  const ParallelInstance* p = tables.parallel(id);
  *root = channel;
  if (!p || depth > 16) return "";
  const ChannelId master = tracer::channel_of(id);
  *root = master;
  std::string outer;
  if (p->enclosing != none) {
    const ImplicitInstance& around = tables.channels[master].implicits[p->enclosing];
    outer = path_of(tables, master, around.parallel, depth + 1, root);
    if (tables.parallel(around.parallel)) outer += (outer.empty() ? "" : ":") + std::to_string(around.rank);
  }
  return outer;
}

/// `is_main`: the process' first thread, whichever began the trace.
std::string name_of_thread(const Tables& tables, ChannelId channel, ChannelId master, bool is_main) {
  const auto& implicits = tables.channels[channel].implicits;
  const bool met_openmp = tables.channels[channel].kinds[static_cast<std::size_t>(RecordKind::thread_begin)] != 0;
  if (channel == master && (is_main || met_openmp || !implicits.empty())) return "Master thread";
  if (implicits.empty()) return met_openmp ? "OMP worker thread" : plain_thread;  // was never in a team
  const ImplicitInstance& first = implicits.front();
  if (!tables.parallel(first.parallel) || tracer::channel_of(first.parallel) == channel) return "Initial thread";
  ChannelId root = channel;
  std::string path = path_of(tables, channel, first.parallel, 0, &root);
  path += (path.empty() ? "" : ":") + std::to_string(first.rank);
  return "OMP thread " + path;
}

/// What the program calls it (NVTX, ITT, ROCTx); "": nothing.
std::string recorded_name(const Journal& journal, ChannelId channel) {
  constexpr std::size_t longest = 80;
  if (channel >= journal.channels.size()) return {};
  const auto own_name =
      journal.facts.find(properties::thread_name_fact + std::to_string(journal.channels[channel].os_thread_id));
  return own_name == journal.facts.end() ? std::string{} : shown(own_name->second.substr(0, longest));
}

void add_properties(Location& location, const ChannelInfo& info, const Journal& journal) {
  const auto add = [&](const char* name, std::string value) {
    location.properties.push_back({name, std::move(value)});
  };
  add(properties::thread_id, std::to_string(info.os_thread_id));
  static const char* const types[] = {"", "initial", "worker", "other", "unknown"};
  if (info.thread_type > 0 && info.thread_type < 5) add(properties::thread_type, types[info.thread_type]);
  if (info.place >= 0) add(properties::place, std::to_string(info.place));
  if (info.processor >= 0) add(properties::processor, std::to_string(info.processor));
  auto bound = journal.facts.find(thread_processors_name(info.os_thread_id, info.id));
  if (bound == journal.facts.end())
    bound = journal.facts.find(properties::thread_processors_fact + std::to_string(info.os_thread_id));
  if (bound != journal.facts.end()) add(properties::processors, shown(bound->second));
  if (info.processor_ns > 0) {
    add(properties::processor_ns, std::to_string(info.processor_ns));
    add(properties::delay_ns, std::to_string(info.delay_ns));
  }
}

}  // namespace

void define_locations(Tables& tables, const Journal& journal, Definitions& definitions) {
  const auto count = static_cast<ChannelId>(tables.channels.size());
  const ChannelId master = master_of(tables, journal);
  tables.location_of.assign(count, 0);
  tables.channel_of.push_back(master);
  for (ChannelId c = 0; c < count; ++c)
    if (c != master) tables.channel_of.push_back(c);
  std::unordered_map<std::string, unsigned>
      names;  // how many threads have had the name: thousands may be "Initial thread"
  for (LocationRef l = 0; l < count; ++l) {
    const ChannelId c = tables.channel_of[l];
    tables.location_of[c] = l;
    Location location;
    const std::string own_name = recorded_name(journal, c);
    const bool has_records = c < journal.channels.size();
    const bool is_main = !has_records || journal.channels[c].os_thread_id == journal.run.process_id;
    std::string base = name_of_thread(tables, c, master, is_main);
    const bool is_plain = base == plain_thread;
    if (is_plain && !own_name.empty()) base = own_name;
    const unsigned n = ++names[base];
    location.name = is_plain && own_name.empty() ? base + " " + std::to_string(n)
                    : n == 1                     ? base
                                                 : base + " (" + std::to_string(n) + ")";
    if (has_records)
      add_properties(location, journal.channels[c], journal);
    else
      location.properties.push_back({properties::thread_id, std::to_string(journal.run.process_id)});
    if (const std::uint64_t lost = tables.channels[c].lost; lost > 0)
      location.properties.push_back({properties::events_lost, std::to_string(lost)});
    if (!own_name.empty()) location.properties.push_back({properties::thread_name, own_name});
    definitions.locations.push_back(std::move(location));
  }
}

}  // namespace tracer::translate
