// SPDX-License-Identifier: BSD-3-Clause
// Kernels are regions; copies are RMA operations seen from the device: it gets from the host, and
// puts to the host.
#include "tracer/translate/devices/events.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tracer/kernel_shape.hpp"
#include "tracer/translate/devices/regions.hpp"
#include "tracer/translate/write/event_buffer.hpp"

namespace tracer::translate {
namespace {

class StreamTranslator {
 public:
  StreamTranslator(const DeviceLocation& location, const DeviceDefinitions& devices, const Tables& tables,
                   const ClockFit& clock, LocationWriter& writer)
      : location_(location),
        devices_(devices),
        tables_(tables),
        clock_(clock),
        out_(writer, *tables.regions, location.stream ? location.stream->operations.size() : 0),
        next_samples_(location.metrics.size()) {}

  LocationResult run() {
    if (location_.stream) {
      for (const DeviceOperation& o : location_.stream->operations) {
        metrics_until(clock_(o.start));
        operation(o, clock_(o.start));
      }
    }
    metrics_until(~Nanoseconds{0});
    out_.flush();
    return result_of(out_);
  }

 private:
  void metrics_until(Nanoseconds time) {
    while (const auto next = next_metric(time)) {
      const DefinedMetric& metric = location_.metrics[*next];
      const DeviceSample& sample = (*metric.samples)[next_samples_[*next]++];
      out_.add(clock_(sample.time), EventType::metric_uint, metric.ref, sample.value);
    }
  }

  /// The one whose next value comes first, if that is not after `time`.
  std::optional<std::size_t> next_metric(Nanoseconds time) const {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < location_.metrics.size(); ++i) {
      const auto& samples = *location_.metrics[i].samples;
      if (next_samples_[i] == samples.size()) continue;
      const Nanoseconds t = clock_(samples[next_samples_[i]].time);
      if (t > time || (first && t == time)) continue;
      first = i;
      time = t;
    }
    return first;
  }

  void links(const DeviceOperation& o) {
    if (o.host_op_id != no_id) out_.attribute(devices_.host_op_id, o.host_op_id);
    if (o.target_id != no_id) out_.attribute(devices_.target_id, o.target_id);
    if (o.correlation != 0) out_.attribute(devices_.correlation, o.correlation);
  }

  void text(std::uint32_t attribute, std::uint32_t string) {
    out_.usage().string(string);
    out_.attribute(attribute, string);
  }

  void shape(const DeviceOperation& o) {
    const auto known = shape_of(o);
    if (!known.is_known()) return;
    text(devices_.grid, devices_.grids.at(o.source_address));
    text(devices_.block, devices_.blocks.at(o.destination_address));
    out_.attribute(devices_.registers, known.registers);
    out_.attribute(devices_.shared_memory, std::uint64_t{known.static_shared} + known.dynamic_shared);
    const auto share = devices_.shares.find({location_.track->number, o.destination_address, o.bytes});
    if (share == devices_.shares.end()) return;
    out_.attribute(devices_.occupancy, share->second.percent);
    text(devices_.occupancy_limit, share->second.limit);
  }

  void operation(const DeviceOperation& o, Nanoseconds t) {
    if (devices_.is_rma(location_, o)) return transfer(o, t);
    const RegionRef region = devices_.region_of(o);
    if (region == undefined_ref) return;
    links(o);
    if (has_bytes_attribute(o.kind) && o.bytes) out_.attribute(devices_.bytes, o.bytes);
    if (o.kind == DeviceRecordKind::kernel) shape(o);
    out_.enter(t, region);
    if (o.kind == DeviceRecordKind::kernel) {
      if (o.host_op_id != no_id) out_.add(t, EventType::parameter_uint, devices_.callsite_id, o.host_op_id);
      if (o.requested_teams) out_.add(t, EventType::parameter_uint, devices_.teams_requested, o.requested_teams);
      if (o.granted_teams) out_.add(t, EventType::parameter_uint, devices_.teams_granted, o.granted_teams);
    }
    // a kernel may outlast several changes of the metrics
    const Nanoseconds end = clock_(o.end);
    metrics_until(end);
    out_.leave(end, region);
  }

  std::uint32_t host_rank(const DeviceOperation& o) const {
    return o.host_channel < tables_.location_of.size() ? tables_.location_of[o.host_channel] : 0;
  }

  void transfer(const DeviceOperation& o, Nanoseconds t) {
    const bool peer = o.kind == DeviceRecordKind::transfer_peer;
    const bool get =
        peer ? o.destination_device == location_.track->number : o.kind == DeviceRecordKind::transfer_to_device;
    // ids of the tool leave the upper half free: 2^24 channels
    const std::uint64_t id = o.host_op_id != no_id ? o.host_op_id : (std::uint64_t{1} << 63) | ++unlinked_;
    const auto window = static_cast<std::uint16_t>(location_.window);
    links(o);
    if (const auto name = devices_.names.find(o.name); name != devices_.names.end())
      text(devices_.host_memory, name->second);
    out_.add(t, get ? EventType::rma_get : EventType::rma_put, peer ? devices_.peer_of(location_, o) : host_rank(o),
             o.bytes, id, window);
    const Nanoseconds end = clock_(o.end);
    metrics_until(end);
    out_.add(end, EventType::rma_op_complete_blocking, 0, 0, id, window);
  }

  const DeviceLocation& location_;
  const DeviceDefinitions& devices_;
  const Tables& tables_;
  const ClockFit& clock_;
  EventBuffer out_;
  std::vector<std::size_t> next_samples_;  // of each metric
  std::uint64_t unlinked_ = 0;
};

}  // namespace

LocationResult translate_stream(const DeviceLocation& location, const DeviceDefinitions& devices, const Tables& tables,
                                const ClockFit& clock, LocationWriter& writer) {
  return StreamTranslator(location, devices, tables, clock, writer).run();
}

}  // namespace tracer::translate
