// SPDX-License-Identifier: BSD-3-Clause
// Follows the constructs of each thread, and the kernels on the streams.
#include "tracer/report/measures/device_habits.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tracer/base/text.hpp"
#include "tracer/property_names.hpp"
#include "tracer/replay/attributes.hpp"

namespace tracer::report {
namespace {

constexpr std::uint64_t small_copy = 64 << 10, many_copies = 8;     // bytes; between two kernels
constexpr std::uint64_t short_kernel = 20'000, many_kernels = 100;  // ns
/// What a runtime takes before and after its callbacks of a construct; nothing else of interest fits in there.
constexpr std::uint64_t short_gap = 1'000;                     // ns
constexpr std::uint64_t least_won = 20'000;                    // ns of each turn
constexpr std::uint64_t least_turn = 100'000, many_turns = 4;  // ns of the host's work
constexpr std::size_t most_submits = std::size_t{1} << 20;     // whose kernels have not been seen

std::uint64_t compute_units(const Definitions& definitions, const Location& location) {
  if (location.kind != LocationKind::accelerator_stream || location.group >= definitions.groups_of_locations.size())
    return 0;
  const std::uint32_t node = definitions.groups_of_locations[location.group].system_tree_parent;
  if (node >= definitions.nodes.size()) return 0;
  for (const Property& property : definitions.nodes[node].properties)
    if (property.name.ends_with("compute_units")) return parse_number(property.value).value_or(0);
  return 0;
}

bool is_of_host(const Location& location) {
  return property_value(location.properties, properties::provider) == "host";
}

}  // namespace

DeviceHabits::DeviceHabits(const Definitions& definitions, const Replay& replay)
    : definitions_{definitions},
      replay_{replay},
      is_kernel_{definitions},
      host_op_id_{find_attribute(definitions, "HOST_OP_ID")},
      bytes_{find_attribute(definitions, "ALLOCATION_SIZE")},
      grid_{find_attribute(definitions, "GRID")} {
  for (const Region& region : definitions.regions) {
    const RegionClass known = classify(region);
    Kind kind = Kind::other;
    if (known.construct == Directive::target_submit) kind = Kind::submit;
    if (known.construct == Directive::target_data) kind = Kind::data;
    if (known.construct == Directive::target && known.label.starts_with("target")) kind = Kind::construct;
    if (known.label == "target data to device") kind = Kind::copy_to;
    if (known.label == "target data from device") kind = Kind::copy_from;
    kinds_.push_back(kind);
    is_concerned_ = is_concerned_ || kind != Kind::other;
  }
  for (const Location& location : definitions.locations) {
    units_.push_back(compute_units(definitions, location));
    of_host_.push_back(is_of_host(location));
  }
}

void DeviceHabits::Sum::add(std::uint64_t duration, std::uint64_t at, std::uint64_t size) {
  ++count;
  bytes += size;
  ns += duration;
  if (duration > longest) longest = duration, longest_at = at;
}

void DeviceHabits::event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  const bool is_edge = event.type == EventType::enter || event.type == EventType::leave;
  if (event.type == EventType::buffer_flush) return hashed(location, event);
  if (!is_edge || event.ref >= kinds_.size()) return;
  if (definitions_.locations[location].kind == LocationKind::accelerator_stream)
    return on_stream(location, event, attributes);
  if (kinds_[event.ref] == Kind::other) return;
  Thread& thread = threads_[location];
  if (event.type == EventType::enter)
    entered(location, thread, event, attributes);
  else
    ended(location, thread, event);
}

/// The thread was the tool's, which compared contents for one: no part of the construct that it is in.
void DeviceHabits::hashed(LocationRef location, const Event& event) {
  const auto thread = threads_.find(location);
  if (thread == threads_.end() || thread->second.open.empty()) return;
  thread->second.open.back().data_ns += event.a - std::min(event.a, event.time);
}

void DeviceHabits::entered(LocationRef location, Thread& thread, const Event& event,
                           std::span<const EventAttribute> attributes) {
  const std::uint32_t process = replay_.process_of(location);
  const Kind kind = kinds_[event.ref];
  if (thread.open.empty() && thread.last != undefined_ref) {
    // What the host did meanwhile needed nothing of the device: both could have worked at once, but for what others had
    // the device do.
    const std::uint64_t gone = event.time - std::min(event.time, thread.last_end);
    const std::uint64_t busy = busy_[process].value(event.time);
    const std::uint64_t host = gone - std::min(gone, busy - std::min(busy, thread.last_busy));
    if (host >= least_turn) turns_[thread.last].add(std::min(host, thread.last_ns), thread.last_end);
    thread.last = undefined_ref;
  }
  if (thread.open.empty() && kind == Kind::construct) {
    const std::uint64_t gap = event.time - std::min(event.time, thread.construct_end);
    thread.gap = thread.construct_end != 0 && gap <= short_gap ? gap : 0;
  }
  if (kind == Kind::submit) {
    flush(thread);
    for (auto frame = thread.open.rbegin(); frame != thread.open.rend(); ++frame) {
      if (frame->kind != Kind::construct) continue;
      launches_[frame->region].submit = event.ref;
      if (constructs_.size() < most_submits)
        constructs_[{process, attribute_value(attributes, host_op_id_)}] = frame->region;
      break;
    }
  }
  thread.open.push_back({event.ref, kind, event.time, attribute_value(attributes, bytes_)});
}

void DeviceHabits::ended(LocationRef location, Thread& thread, const Event& event) {
  if (thread.open.empty() || thread.open.back().region != event.ref) return;
  const Open open = thread.open.back();
  thread.open.pop_back();
  left(thread, open, event.time - std::min(event.time, open.begin));
  // What a task waits for between two constructs is no work of the host's.
  if (!thread.open.empty() || open.kind != Kind::construct || open.kernels == 0 || open.fetches ||
      replay_.location(location).current->is_explicit)
    return;
  thread.last = open.region;
  thread.last_ns = event.time - std::min(event.time, open.begin);
  thread.last_end = event.time;
  thread.last_busy = busy_[replay_.process_of(location)].value(event.time);
}

void DeviceHabits::left(Thread& thread, const Open& open, std::uint64_t ns) {
  if (!thread.open.empty()) {
    Open& outer = thread.open.back();
    outer.kernels += open.kind == Kind::submit ? 1 : open.kernels;
    outer.fetches = outer.fetches || open.fetches || open.kind == Kind::copy_from;
    if (open.kind != Kind::submit && open.kind != Kind::construct) outer.data_ns += ns;
  }
  const bool is_copy = open.kind == Kind::copy_to || open.kind == Kind::copy_from;
  const bool is_small = is_copy && open.bytes <= small_copy;
  if (is_small) thread.copies[open.region].add(ns, open.begin, open.bytes);
  if (!thread.open.empty()) {
    Open& outer = thread.open.back();
    if (is_small) outer.copies = open.region;
    outer.small_only = outer.small_only && is_small;
  }
  if (open.kind != Kind::construct) return;
  const std::uint64_t gap = thread.open.empty() ? thread.gap : 0;
  if (thread.open.empty()) thread.construct_end = open.begin + ns;
  if (open.kernels == 0) return copied(thread, open, ns + gap);
  Launches& launches = launches_[open.region];
  launches.launched += open.kernels;
  launches.gaps_ns += gap;
  launches.constructs.add(ns - std::min(ns, open.data_ns), open.begin);
  launches.usual_ns += std::min(ns - std::min(ns, open.data_ns), 10 * short_kernel * open.kernels);
}

/// A construct that makes small copies and nothing else costs beside them, each time.
void DeviceHabits::copied(Thread& thread, const Open& open, std::uint64_t ns) {
  if (!open.small_only || open.copies == undefined_ref) return;
  Sum& copies = thread.copies[open.copies];
  copies.constructs_ns += ns - std::min(ns, open.data_ns);
  copies.construct = open.region;
}

/// A kernel comes: what was copied before it could have been one copy.
void DeviceHabits::flush(Thread& thread) {
  for (const auto& [region, copies] : thread.copies) {
    if (copies.count < many_copies) continue;
    Sum& all = bursts_[region];
    all.count += copies.count;
    all.bytes += copies.bytes;
    all.ns += copies.ns - copies.longest;  // one is needed
    all.ns += copies.constructs_ns - copies.constructs_ns / copies.count;
    if (copies.construct != undefined_ref) all.construct = copies.construct;
    if (copies.longest > all.longest) all.longest = copies.longest, all.longest_at = copies.longest_at;
  }
  thread.copies.clear();
}

/// "4x2x1" is 8.
std::uint64_t DeviceHabits::blocks_of(std::uint64_t text) const {
  if (text >= definitions_.strings.size() || definitions_.strings[text].empty()) return 0;
  std::uint64_t blocks = 1;
  const char* at = definitions_.strings[text].c_str();
  while (*at != '\0') {
    char* end = nullptr;
    blocks *= std::strtoull(at, &end, 10);
    if (end == at) return 0;
    at = *end == 'x' ? end + 1 : end;
  }
  return blocks;
}

void DeviceHabits::on_stream(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  if (!is_kernel_(event.ref)) return;
  if (const auto found = running_.find(location); found != running_.end()) {
    const Kernel kernel = found->second;
    running_.erase(found);
    const std::uint64_t unfilled = kernel_left(location, kernel, event.time);
    // Where another begins the end is not in the trace.
    if (event.type == EventType::leave) kernel_ended(location, kernel, event.ref, event.time, unfilled);
  }
  if (event.type != EventType::enter) return;
  const std::uint64_t grid = attribute_value(attributes, grid_);
  const std::uint64_t blocks = grid != 0 && !of_host_[location] ? blocks_of(grid) : 0;
  kernel_begun(location, {attribute_value(attributes, host_op_id_), event.time, blocks});
}

void DeviceHabits::Filling::pass(std::uint64_t time, std::uint64_t units) {
  if (kernels > 0 && unknown == 0 && blocks < units && time > now) idle += (time - now) * (units - blocks) / kernels;
  now = std::max(now, time);
}

void DeviceHabits::Filling::add(Kernel& kernel, std::uint64_t units) {
  pass(kernel.begin, units);
  kernel.idle_from = idle;
  blocks += kernel.blocks;
  ++(kernel.blocks == 0 ? unknown : kernels);
}

std::uint64_t DeviceHabits::Filling::remove(const Kernel& kernel, std::uint64_t time, std::uint64_t units) {
  pass(time, units);
  blocks -= kernel.blocks;
  --(kernel.blocks == 0 ? unknown : kernels);
  return kernel.blocks == 0 || kernel.blocks >= units ? 0 : (idle - kernel.idle_from) / units;
}

void DeviceHabits::kernel_begun(LocationRef location, Kernel kernel) {
  fillings_[definitions_.locations[location].group].add(kernel, units_[location]);
  busy_[replay_.process_of(location)].add(1, kernel.begin);
  running_[location] = kernel;
}

std::uint64_t DeviceHabits::kernel_left(LocationRef location, const Kernel& kernel, std::uint64_t time) {
  busy_[replay_.process_of(location)].add(-1, time);
  return fillings_[definitions_.locations[location].group].remove(kernel, time, units_[location]);
}

void DeviceHabits::kernel_ended(LocationRef location, const Kernel& kernel, RegionRef region, std::uint64_t time,
                                std::uint64_t unfilled) {
  const std::uint64_t ns = time - std::min(time, kernel.begin);
  if (of_host_[location] && (launch_ns_ == 0 || ns < launch_ns_)) launch_ns_ = ns;
  const auto construct = constructs_.find({replay_.process_of(location), kernel.id});
  if (construct != constructs_.end()) {
    region = construct->second;
    Launches& launches = launches_[region];
    ++launches.kernels;
    launches.kernel_ns += ns;
    if (of_host_[location]) ++launches.of_host;
    if (ns < short_kernel) ++launches.shorts, launches.short_ns += ns;
    constructs_.erase(construct);
  }
  // A short one is a matter of its launch.
  if (unfilled != 0 && ns >= short_kernel) few_[region].add(unfilled, kernel.begin);
}

void DeviceHabits::finished(std::uint64_t) {
  for (auto& [location, thread] : threads_) flush(thread);
  for (const auto& [region, copies] : bursts_) add(DataPattern::small_transfers, region, copies.construct, copies);
  for (const auto& [region, launches] : launches_) {
    // Without the kernels' own times their durations are unknown.
    if (launches.launched < many_kernels || launches.kernels * 2 < launches.launched) continue;
    if (launches.shorts * 10 < launches.kernels * 9 || launches.usual_ns < 2 * launches.short_ns) continue;
    Sum sum = launches.constructs;
    // The host's interval of a kernel begins with its launch.
    const std::uint64_t launching = std::min(launches.kernel_ns, launches.of_host * launch_ns_);
    sum.ns -= std::min(sum.ns, launches.kernel_ns - launching);
    sum.ns += launches.gaps_ns;
    add(DataPattern::short_kernels, region, launches.submit, sum);
  }
  for (const auto& [region, few] : few_) add(DataPattern::few_teams, region, launches_[region].submit, few);
  for (const auto& [region, turns] : turns_) {
    // Where others have the processors a thread may be away between any two constructs.
    const bool is_habit = turns.count >= many_turns && turns.count * 10 >= launches_[region].launched;
    if (is_habit && turns.ns >= turns.count * least_won)
      add(DataPattern::turns, region, launches_[region].submit, turns);
  }
}

void DeviceHabits::add(DataPattern pattern, RegionRef region, RegionRef also, const Sum& sum) {
  DataMovementRow row;
  row.pattern = pattern;
  row.region = region;
  if (also != undefined_ref) row.also.push_back(also);
  row.name = definitions_.regions[region].name;
  row.count = sum.count;
  row.bytes = sum.bytes;
  row.ns = sum.ns;
  row.longest = sum.longest;
  row.longest_at = sum.longest_at;
  rows_.push_back(row);
}

}  // namespace tracer::report
