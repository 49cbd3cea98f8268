// SPDX-License-Identifier: BSD-3-Clause
// Reads the host's operations on data, the constructs that they are in, and the kernels between them.
#include "tracer/report/measures/data_movement.hpp"
#include "tracer/replay/attributes.hpp"
#include "tracer/report/measures/data_regions.hpp"
#include "tracer/transfer_content.hpp"

#include <algorithm>

namespace tracer::report {

DataMovement::DataMovement(const Definitions& definitions, const Replay& replay)
    : definitions_{definitions}, replay_{replay}, is_kernel_{definitions} {
  for (const Region& region : definitions.regions) {
    const RegionClass known = classify(region);
    const std::string& label = known.label;
    Kind kind = Kind::other;
    if (label == "target data alloc") kind = Kind::alloc;
    if (label == "target data delete") kind = Kind::remove;
    if (label == "target data to device") kind = Kind::to_device;
    if (label == "target data from device") kind = Kind::from_device;
    if (label == "target submit") kind = Kind::submit;
    kinds_.push_back(kind);
    moves_only_.push_back(is_data_construct(known));
    if (kind == Kind::other) continue;
    host_op_id_ = find_attribute(definitions, "HOST_OP_ID");
  }
  bytes_ = find_attribute(definitions, "ALLOCATION_SIZE");
  source_ = find_attribute(definitions, "SOURCE_ADDRESS");
  destination_ = find_attribute(definitions, "DESTINATION_ADDRESS");
  source_device_ = find_attribute(definitions, "SOURCE_DEVICE");
  destination_device_ = find_attribute(definitions, "DESTINATION_DEVICE");
  for (std::size_t i = 0; i < definitions.parameters.size(); ++i)
    if (definitions.parameters[i].name == "content hash") content_ = static_cast<std::uint32_t>(i);
  has_content_ = content_ != none;
}

DataMovement::Kind DataMovement::kind_of(RegionRef region) const {
  return region < kinds_.size() ? kinds_[region] : Kind::other;
}

void DataMovement::event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  if (definitions_.locations[location].kind == LocationKind::accelerator_stream)
    return on_stream(location, event, attributes);
  const bool is_edge = event.type == EventType::enter || event.type == EventType::leave;
  if (event.type == EventType::buffer_flush) return hashed(location, event);
  if (event.type == EventType::measurement_on_off) return paused(replay_.process_of(location));
  if (is_edge && event.ref < moves_only_.size() && moves_only_[event.ref]) return construct(location, event);
  if (event.type == EventType::enter) {
    if (const Kind kind = kind_of(event.ref); kind != Kind::other) begin(location, kind, event, attributes);
    return;
  }
  if (event.type != EventType::leave && event.type != EventType::parameter_uint) return;
  const auto found = open_.find(location);
  if (found == open_.end() || found->second.empty()) return;
  Open& open = found->second.back();
  if (event.type == EventType::parameter_uint) {
    if (event.ref == content_) open.content = event.a, open.has_content = true;
    return;
  }
  if (event.ref != open.cost.region) return;
  if (const auto address = attribute_value(attributes, destination_); address != 0) open.destination = address;
  Open ended = open;
  ended.cost.ns = ended.ns = event.time - std::min(event.time, std::max(ended.begin, fetch_began(location, ended)));
  found->second.pop_back();
  if (found->second.empty()) open_.erase(found);
  const auto around = constructs_.find(location);
  if (around == constructs_.end() || ended.kind == Kind::submit) return end(location, ended);
  // The construct's time before the operation is of the operation.
  Construct& construct = around->second;
  if (construct.since != 0) ended.cost.ns += ended.begin - std::min(ended.begin, construct.since);
  ended.cost.construct = construct.region;
  row_ = nullptr;
  end(location, ended);
  construct.since = ended.has_content && ended.cost.bytes >= least_recorded_hashing ? 0 : event.time;
  construct.last = ended;
  construct.row = row_;
}

/// When the device began to copy what the host fetches; 0: its record is not there, or came later. Until then the host
/// waited for what the device did before.
std::uint64_t DataMovement::fetch_began(LocationRef location, const Open& open) {
  const auto fetch = fetches_.find(replay_.in_process(location, open.id));
  if (fetch == fetches_.end()) return 0;
  const std::uint64_t began = fetch->second;
  fetches_.erase(fetch);
  return began;
}

/// Comparing contents is no part of the construct. Traces without its duration have nothing from then on.
void DataMovement::hashed(LocationRef location, const Event& event) {
  const auto around = constructs_.find(location);
  if (around != constructs_.end()) around->second.since = std::max(event.time, event.a);
}

void DataMovement::construct(LocationRef location, const Event& event) {
  if (event.type == EventType::enter) {
    constructs_[location] = {event.ref, event.time, {}, nullptr};
    return;
  }
  const auto found = constructs_.find(location);
  if (found == constructs_.end() || found->second.region != event.ref) return;
  const Construct construct = found->second;
  constructs_.erase(found);
  if (construct.last.kind != Kind::other && construct.since != 0)
    construct_ended(location, construct, event.time - std::min(event.time, construct.since));
}

/// What is left of the construct's time is of its last operation, whether that is needless or may turn out to be.
void DataMovement::construct_ended(LocationRef location, const Construct& construct, std::uint64_t ns) {
  const Open& last = construct.last;
  Device& device = devices_[{replay_.process_of(location), last.destination_device}];
  if (last.kind == Kind::alloc) {
    const auto memory = device.memory.find(last.destination);
    if (memory != device.memory.end() && memory->second.allocated.at == last.cost.at) memory->second.allocated.ns += ns;
  } else if (construct.row != nullptr) {
    construct.row->ns += ns;
  } else if (last.kind == Kind::to_device) {
    const auto sent = device.sent.find(last.destination);
    if (sent != device.sent.end() && sent->second.cost.at == last.cost.at) sent->second.cost.ns += ns;
  }
}

void DataMovement::on_stream(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  if (event.type == EventType::rma_put) {
    const auto fetch = fetches_.find(replay_.in_process(location, attribute_value(attributes, host_op_id_)));
    if (fetch != fetches_.end() && fetch->second == 0) fetch->second = event.time;
    return;
  }
  if ((event.type != EventType::enter && event.type != EventType::leave) || !is_kernel_(event.ref)) return;
  Kernels& kernels = kernels_[replay_.process_of(location)];
  if (event.type == EventType::enter) {
    ++kernels.running;
    ++kernels.begun;
    kernel_began_[location] = event.time;
    // A kernel that no construct launched, such as one of a CUDA library that was given the device's address.
    if (attribute_value(attributes, host_op_id_) == 0) kernel_of(replay_.process_of(location));
  } else if (const auto began = kernel_began_.find(location); began != kernel_began_.end()) {
    --kernels.running;
    kernels.budget = event.time - std::min(event.time, began->second);
    kernels.region = event.ref;
    kernel_began_.erase(began);
  }
}

void DataMovement::begin(LocationRef location, Kind kind, const Event& event,
                         std::span<const EventAttribute> attributes) {
  Open open;
  open.kind = kind;
  open.id = attribute_value(attributes, host_op_id_);
  open.begin = event.time;
  open.source = attribute_value(attributes, source_);
  open.destination = attribute_value(attributes, destination_);
  open.source_device = static_cast<std::int64_t>(attribute_value(attributes, source_device_));
  open.destination_device = static_cast<std::int64_t>(attribute_value(attributes, destination_device_));
  open.cost = {event.ref, undefined_ref, attribute_value(attributes, bytes_), 0, event.time};
  const Kernels& kernels = kernels_[replay_.process_of(location)];
  open.kernels_begun = kernels.begun;
  open.beside_kernel = kernels.running > 0;
  open_[location].push_back(open);
  if (kind == Kind::from_device && open.id != 0) fetches_[replay_.in_process(location, open.id)] = 0;
}

void DataMovement::kernel_of(std::uint32_t process) {
  for (auto& [key, device] : devices_)
    if (key.first == process) ++device.kernels;
}

void DataMovement::end(LocationRef location, const Open& open) {
  const std::uint32_t process = replay_.process_of(location);
  if (open.kind == Kind::submit) {
    // The submit does not name its device; the target construct around it does. A kernel on any device of the process
    // counts for all: no kernel that is recorded used what is called unused.
    kernel_of(process);
    return;
  }
  ++all_.count;
  all_.bytes += open.kind == Kind::to_device || open.kind == Kind::from_device ? open.cost.bytes : 0;
  all_.ns += open.ns;
  const bool of_source = open.kind == Kind::from_device || open.kind == Kind::remove;
  Device& device = devices_[{process, of_source ? open.source_device : open.destination_device}];
  switch (open.kind) {
    case Kind::alloc:
      return allocated(device, open);
    case Kind::remove:
      return removed(device, open);
    case Kind::to_device:
      return sent(device, kernels_[process], open);
    case Kind::from_device:
      return fetched(device, open);
    default:
      return;
  }
}

}  // namespace tracer::report
