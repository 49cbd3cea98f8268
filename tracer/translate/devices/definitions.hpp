// SPDX-License-Identifier: BSD-3-Clause
// An archive's definitions of devices: nodes, location groups, streams, kernels' regions, windows.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/device_timeline.hpp"
#include "tracer/journal.hpp"
#include "tracer/translate/regions/regions.hpp"
#include "tracer/translate/resolve/tables.hpp"

namespace tracer::translate {

/// A metric, and its values.
struct DefinedMetric {
  std::uint32_t ref = undefined_ref;
  const std::vector<DeviceSample>* samples = nullptr;
};

/// A stream and what its events refer to.
struct DeviceLocation {
  LocationRef location = undefined_ref;
  const DeviceStream* stream = nullptr;  ///< nullptr: only metrics are recorded here
  const DeviceTrack* track = nullptr;
  std::uint32_t window = undefined_ref;
  std::uint32_t rank = 0;              ///< in the window's communicator
  std::vector<DefinedMetric> metrics;  ///< of the device, on its first location only
};

/// Built once, before the first location is written; then read by all threads.
struct DeviceDefinitions {
  std::vector<DeviceLocation> locations;
  std::map<std::int32_t, std::uint32_t> first_rank;                     ///< by device number: a peer's end of a copy
  std::uint32_t host_op_id = undefined_ref, target_id = undefined_ref;  // attributes
  std::uint32_t bytes = undefined_ref, correlation = undefined_ref;
  std::uint32_t grid = undefined_ref, block = undefined_ref, registers = undefined_ref, shared_memory = undefined_ref,
                occupancy = undefined_ref, occupancy_limit = undefined_ref, host_memory = undefined_ref;
  std::map<std::uint64_t, std::uint32_t> grids, blocks;  ///< strings, by the operation's packed field
  std::map<std::uint32_t, std::uint32_t> names;          ///< strings, by the journal's
  struct Share {
    unsigned percent;
    std::uint32_t limit;  ///< a string
  };
  /// By device and packed fields; empty where the device's properties are unknown.
  std::map<std::tuple<std::int32_t, std::uint64_t, std::uint64_t>, Share> shares;
  std::uint32_t callsite_id = undefined_ref, teams_requested = undefined_ref,
                teams_granted = undefined_ref;  // parameters

  RegionRef region_of(const DeviceOperation& operation) const noexcept;
  /// The other device of a peer copy; the stream itself when there is none.
  std::uint32_t peer_of(const DeviceLocation& location, const DeviceOperation& operation) const;
  /// An operation of the stream is events of the window, not a region.
  bool is_rma(const DeviceLocation& location, const DeviceOperation& operation) const;

  std::map<std::pair<std::uint64_t, std::uint64_t>, RegionRef> regions;  ///< by device_region_key()
};

/// Operations of one region: by kind, by name, and by the position that the target construct has.
std::pair<std::uint64_t, std::uint64_t> device_region_key(const DeviceOperation& operation) noexcept;

Paradigm paradigm_of_device(const DeviceInfo& info) noexcept;

/// Devices on which something happened get a node, a group and streams; all of them are archive
/// properties. `tables` must have its regions.
DeviceDefinitions define_devices(const DeviceTimeline& timeline, const Tables& tables, const Journal& journal,
                                 Definitions& definitions);

}  // namespace tracer::translate
