// SPDX-License-Identifier: BSD-3-Clause
// Groups by the provider's stream; what overlaps its predecessors goes to the next virtual stream.
#include "device/correlate/streams.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tracer::device {
namespace {

/// Waiting and overhead are the host's view of a stream and overlap what runs on it. Migrations are of no stream.
enum class Lane : std::uint8_t { work, synchronize, overhead, migration };

Lane lane_of(DeviceRecordKind kind) noexcept {
  if (kind == DeviceRecordKind::synchronize) return Lane::synchronize;
  if (kind == DeviceRecordKind::overhead) return Lane::overhead;
  if (kind == DeviceRecordKind::migration_to_device || kind == DeviceRecordKind::migration_from_device)
    return Lane::migration;
  return Lane::work;
}

using Key = std::tuple<Lane, DeviceProviderKind, std::uint32_t, std::uint64_t>;

/// Beyond this many overlapping operations of one stream they are shortened instead.
constexpr std::size_t most_virtual_streams = 256;

std::string prefix(std::int32_t device, std::uint32_t paradigm_hint) {
  static constexpr const char* names[] = {"OMP Target", "CUDA", "HIP", "OpenCL", "Level Zero"};
  const auto* name = names[paradigm_hint < std::size(names) ? paradigm_hint : 0];
  return std::string(name) + "[" + std::to_string(device);
}

void spread(std::vector<DeviceOperation>& operations, std::vector<DeviceStream>& streams, std::size_t first,
            DeviceTimeline& timeline) {
  for (auto& op : operations) {
    std::size_t i = first;
    while (i < streams.size() && !streams[i].operations.empty() && streams[i].operations.back().end > op.start) ++i;
    if (i == streams.size() && i - first >= most_virtual_streams) {
      i = first;
      ++timeline.repairs["device.overlap_shortened"];
      op.start = std::max(op.start, streams[i].operations.back().end);
      op.end = std::max(op.end, op.start);
    }
    if (i == streams.size()) {
      streams.emplace_back();
      streams[i].virtual_index = static_cast<unsigned>(i - first);
    }
    if (i > first) ++timeline.counters["device.on_virtual_stream"];
    streams[i].operations.push_back(op);
  }
}

}  // namespace

std::vector<DeviceStream> make_streams(std::int32_t device, std::uint32_t paradigm_hint,
                                       std::vector<PlacedOperation> operations, DeviceTimeline& timeline) {
  std::map<Key, std::vector<DeviceOperation>> groups;
  for (auto& placed : operations) {
    const auto lane = lane_of(placed.operation.kind);
    const Key key{lane, placed.provider, placed.context, lane == Lane::overhead ? 0 : placed.stream};
    groups[key].push_back(placed.operation);
  }
  operations = {};
  std::vector<DeviceStream> streams;
  std::set<std::string> used;
  std::size_t index = 0;
  // the host's intervals beside a provider's records are no streams of the device
  const bool has_records = std::any_of(groups.begin(), groups.end(), [](const auto& group) {
    return std::get<1>(group.first) != DeviceProviderKind::host;
  });
  for (auto& [key, group] : groups) {
    const auto& [lane, provider, context, stream] = key;
    std::stable_sort(group.begin(), group.end(), [](const DeviceOperation& a, const DeviceOperation& b) {
      return std::tie(a.start, a.end) < std::tie(b.start, b.end);
    });
    const auto first = streams.size();
    spread(group, streams, first, timeline);
    group = {};
    // CUDA's stream numbers mean something to its users, other runtimes' are addresses or hashes
    const auto number = paradigm_hint == 1 && provider == DeviceProviderKind::cupti ? stream : index++;
    const bool is_of_stream = lane != Lane::overhead && stream != no_stream;
    std::string name = prefix(device, paradigm_hint) + (is_of_stream ? ":" + std::to_string(number) : "") + "]";
    if (lane == Lane::synchronize) name += " synchronization";
    if (lane == Lane::overhead) name += " overhead";
    if (lane == Lane::migration) name += " unified memory";
    if (provider == DeviceProviderKind::host && has_records)
      name = prefix(device, paradigm_hint) + "] without record, of thread " + std::to_string(stream);
    if (used.count(name)) name += " context " + std::to_string(context);
    for (auto i = first; i < streams.size(); ++i) {
      streams[i].provider_stream = is_of_stream ? stream : 0;
      streams[i].provider = provider;
      streams[i].name = streams[i].virtual_index ? name + "." + std::to_string(streams[i].virtual_index) : name;
      while (!used.insert(streams[i].name).second) streams[i].name += "'";
    }
  }
  return streams;
}

}  // namespace tracer::device
