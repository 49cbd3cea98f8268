// SPDX-License-Identifier: BSD-3-Clause
// Follows each variable to the device and back: what each operation of data_movement.cpp makes of it.
#include "tracer/property_names.hpp"
#include "tracer/replay/run_facts.hpp"
#include "tracer/report/measures/data_movement.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace tracer::report {
namespace {

/// Programs that map each element of a large structure have many; beyond so many of a device the newest are not
/// followed.
constexpr std::size_t most_variables = std::size_t{1} << 16;
/// Smaller copies are over before anything else could go on beside them.
constexpr std::uint64_t least_beside = 64 << 10;

void add_place(std::vector<RegionRef>& places, RegionRef region) {
  if (region != undefined_ref && std::find(places.begin(), places.end(), region) == places.end())
    places.push_back(region);
}

}  // namespace

/// omp_target_alloc names no memory of the host. What one call in the source allocates and frees again and again could
/// be kept; without a place the calls cannot be compared.
DataMovement::Variable DataMovement::variable_of(const Open& open) const {
  constexpr std::uint64_t of_a_place = std::uint64_t{1} << 63;  // no address of a program
  if (open.source != 0) return {open.source, open.cost.bytes};
  if (definitions_.regions[open.cost.region].name.find('@') == std::string::npos) return {0, open.cost.bytes};
  return {of_a_place | open.cost.region, open.cost.bytes};
}

void DataMovement::allocated(Device& device, const Open& open) {
  if (open.destination == 0) return;
  Memory memory{variable_of(open), open.cost, false, device.kernels};
  if (memory.variable.address != 0) {
    auto found = device.variables.find(memory.variable);
    if (found == device.variables.end() && device.variables.size() < most_variables)
      found = device.variables.emplace(memory.variable, History{}).first;
    if (found != device.variables.end() && found->second.freed > 0) {
      --found->second.freed;
      memory.again = true;
    }
  }
  device.memory[open.destination] = memory;
}

void DataMovement::removed(Device& device, const Open& open) {
  const auto found = device.memory.find(open.source);
  if (found == device.memory.end()) return;
  const Memory& memory = found->second;
  const std::uint64_t bytes = std::max<std::uint64_t>(memory.variable.bytes, 1);
  Cost cost = memory.allocated;
  cost.ns += open.cost.ns;
  drop_sent(device, open.source, open.source + bytes);
  const bool is_unused = memory.kernels_before == device.kernels;
  if (is_unused || memory.again) {
    add(is_unused ? DataPattern::unused_allocation : DataPattern::repeated_allocation, cost);
    add_place(row_->also, open.cost.region);
    add_place(row_->also, open.cost.construct);
  }
  const auto history = device.variables.find(memory.variable);
  if (history != device.variables.end()) {
    history->second.on_device = false;
    history->second.device_address = 0;
    ++history->second.freed;
  }
  device.memory.erase(found);
}

/// Copies into a range of the device's memory that no kernel could use: they are overwritten, or their memory is freed.
/// One of `keep_bytes` at `from` stays: what overwrites it is the same, and that copy is the needless one.
void DataMovement::drop_sent(Device& device, std::uint64_t from, std::uint64_t to, std::uint64_t keep_bytes) {
  for (auto it = device.sent.lower_bound(from); it != device.sent.end() && it->first < to;) {
    const Sent& sent = it->second;
    const bool is_kept = keep_bytes != 0 && it->first == from && sent.cost.bytes == keep_bytes;
    if (is_kept || it->first + sent.cost.bytes > to) {
      ++it;
      continue;
    }
    if (sent.kernels_before == device.kernels && !sent.is_fetched) {
      add(DataPattern::unused_transfer, sent.cost);
    } else if (sent.behind_ns != 0) {
      Cost cost = sent.cost;
      cost.ns = sent.behind_ns;
      add(DataPattern::serial_transfer, cost, sent.behind);
    }
    it = device.sent.erase(it);
  }
  row_ = nullptr;
}

/// The variable's last copy is in other memory of the device, which is still allocated: what is sent is a second one.
bool DataMovement::is_elsewhere(const Device& device, const History& history, std::uint64_t address) {
  if (history.device_address == 0 || history.device_address == address) return false;
  auto memory = device.memory.upper_bound(history.device_address);
  if (memory == device.memory.begin()) return false;
  --memory;
  return history.device_address - memory->first < std::max<std::uint64_t>(memory->second.variable.bytes, 1);
}

/// The content of what is sent was there, or came from there.
bool DataMovement::repeats(const Device& device, History& history, const Open& open) {
  bool counted = false;
  if (is_elsewhere(device, history, open.destination)) history.is_known = history.on_host = false;
  // The host had fetched this content and has not changed it since: it need not have left the device.
  if (history.on_host && history.host_content == open.content)
    add(DataPattern::round_trip, open.cost, history.fetched_at), counted = true;
  else if (history.is_known && history.device_content == open.content)
    add(DataPattern::duplicate_transfer, open.cost, history.sent_at), counted = true;
  history.is_known = history.on_device = true;
  history.on_host = false;
  history.host_content = 0;
  history.device_content = open.content;
  return counted;
}

/// How long of the copy could have gone on while the kernel before it ran, which it did not use.
std::uint64_t DataMovement::behind_kernel(Kernels& kernels, const Open& open) const {
  if (open.cost.bytes < least_beside || open.beside_kernel || kernels.running > 0 ||
      kernels.begun != open.kernels_begun)
    return 0;
  const std::uint64_t ns = std::min(kernels.budget, open.cost.ns);
  kernels.budget -= ns;
  return ns;
}

void DataMovement::sent(Device& device, Kernels& kernels, const Open& open) {
  const Variable variable{open.source, open.cost.bytes};
  auto found = device.variables.find(variable);
  if (found == device.variables.end() && device.variables.size() < most_variables)
    found = device.variables.emplace(variable, History{}).first;
  bool counted = false;
  std::uint64_t behind_ns = 0;
  if (found != device.variables.end()) {
    History& history = found->second;
    counted = open.has_content && repeats(device, history, open);
    // What the host sends again and again, and got nothing of meanwhile, does not wait for the kernel before.
    if (!counted && history.sends > 0 && !history.is_fetched) behind_ns = behind_kernel(kernels, open);
    ++history.sends;
    history.is_fetched = false;
    history.sent_at = open.cost.region;
    history.device_address = open.destination;
  }
  DataMovementRow* const row = row_;
  drop_sent(device, open.destination, open.destination + std::max<std::uint64_t>(open.cost.bytes, 1),
            counted ? open.cost.bytes : 0);
  row_ = row;
  // One copy is one finding.
  if (!counted && device.sent.size() < most_variables)
    device.sent[open.destination] = {open.cost, device.kernels, behind_ns, kernels.region, open.source};
}

/// The variable, and those of which it is a part, or that are a part of it; and what was sent to where it comes from.
void DataMovement::mark_fetched(Device& device, const Open& open) {
  constexpr std::size_t most_looked_at = 1024;
  const std::uint64_t bytes = std::max<std::uint64_t>(open.cost.bytes, 1);
  std::size_t looked_at = 0;
  for (auto it = device.variables.lower_bound({open.destination + bytes, 0}); it != device.variables.begin();) {
    --it;
    if (it->first.address + it->first.bytes > open.destination) it->second.is_fetched = true;
    if (++looked_at == most_looked_at) break;
  }
  looked_at = 0;
  for (auto it = device.sent.lower_bound(open.source + bytes); it != device.sent.begin();) {
    --it;
    Sent& sent = it->second;
    const bool is_back = open.destination - open.source == sent.source - it->first;
    if (!is_back && it->first + sent.cost.bytes > open.source) sent.is_fetched = true;
    if (++looked_at == most_looked_at) break;
  }
}

void DataMovement::fetched(Device& device, const Open& open) {
  const Variable variable{open.destination, open.cost.bytes};
  mark_fetched(device, open);
  const auto found = device.variables.find(variable);
  if (found != device.variables.end()) {
    found->second.fetched_at = open.cost.region;
    found->second.device_address = open.source;
  }
  if (found == device.variables.end()) return;
  History& history = found->second;
  if (!open.has_content) {  // what came may be anything
    history.is_known = history.on_host = false;
    return;
  }
  // What comes back is what was sent: no kernel has changed it, and the next copy of it is a duplicate.
  const bool unchanged = history.on_device && history.device_content == open.content;
  if (unchanged) add(DataPattern::returned_unchanged, open.cost, history.sent_at);
  history.on_host = !unchanged;
  history.host_content = history.device_content = open.content;
  history.is_known = true;
}

/// Recording was paused, or goes on: what was not recorded may have used everything, and changed it.
void DataMovement::paused(std::uint32_t process) {
  kernels_[process].budget = 0;
  for (auto& [key, device] : devices_) {
    if (key.first != process) continue;
    ++device.kernels;
    device.sent.clear();
    for (auto& [variable, history] : device.variables) {
      history.is_known = history.on_host = history.on_device = false;
      history.sends = 0;
    }
  }
}

// Where the events end before the program does, as those of a part, a later kernel may use what was sent last.
void DataMovement::finished(std::uint64_t last) {
  constexpr std::uint64_t moment = 1'000'000;
  const ClockProperties& clock = definitions_.clock;
  const bool is_cut = last + moment < clock.offset + clock.length || run_facts(definitions_).is_cut() ||
                      find_property(definitions_.properties, properties::part) != nullptr;
  for (auto& [key, device] : devices_) {
    if (!is_cut) drop_sent(device, 0, std::numeric_limits<std::uint64_t>::max());
    for (const auto& [address, memory] : device.memory)
      if (memory.again && memory.kernels_before != device.kernels)
        add(DataPattern::repeated_allocation, memory.allocated);
  }
}

void DataMovement::add(DataPattern pattern, const Cost& cost, RegionRef other) {
  DataMovementRow& row = rows_[{pattern, cost.region}];
  row_ = &row;
  add_place(row.also, cost.construct);
  row.pattern = pattern;
  row.region = cost.region;
  row.name = definitions_.regions[cost.region].name;
  ++row.count;
  row.bytes += cost.bytes;
  row.ns += cost.ns;
  if (cost.ns <= row.longest) return;
  row.longest = cost.ns;
  row.longest_at = cost.at;
  if (other == undefined_ref) return;
  row.other = other;
  row.other_name = definitions_.regions[other].name;
}

}  // namespace tracer::report
