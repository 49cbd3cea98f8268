// SPDX-License-Identifier: BSD-3-Clause
// Defines what the operations at hand need.
#include "tracer/translate/devices/shapes.hpp"

#include "tracer/kernel_shape.hpp"
#include "tracer/translate/devices/occupancy.hpp"
#include "tracer/translate/devices/regions.hpp"

namespace tracer::translate {
namespace {

std::string text_of(const std::uint32_t (&size)[3]) {
  return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

}  // namespace

void Shapes::take(const DeviceLocation& location, const DeviceOperation& o) {
  if (o.kind == DeviceRecordKind::kernel) return kernel(location, o);
  if (has_region(o.kind) || o.name == 0) return;
  const auto text = journal_.strings.find(o.name);
  if (text == journal_.strings.end()) return;
  attribute(out_.host_memory, "HOST_MEMORY", "the host's side of a copy: pageable or pinned", ValueType::string);
  if (!out_.names.contains(o.name)) out_.names[o.name] = string(text->second);
}

void Shapes::kernel(const DeviceLocation& location, const DeviceOperation& o) {
  const auto shape = shape_of(o);
  if (!shape.is_known()) return;
  attribute(out_.grid, "GRID", "blocks of the kernel, in x, y and z", ValueType::string);
  attribute(out_.block, "BLOCK", "threads of a block, in x, y and z", ValueType::string);
  attribute(out_.registers, "REGISTERS", "of each thread", ValueType::uint64);
  attribute(out_.shared_memory, "SHARED_MEMORY", "bytes of each block", ValueType::uint64);
  if (!out_.grids.contains(o.source_address)) out_.grids[o.source_address] = string(text_of(shape.grid));
  if (!out_.blocks.contains(o.destination_address)) out_.blocks[o.destination_address] = string(text_of(shape.block));
  const auto key = std::tuple(location.track->number, o.destination_address, o.bytes);
  if (out_.shares.contains(key)) return;
  const auto share = occupancy(shape, journal_.devices.at(location.track->journal_index).properties);
  if (share.percent == 0) return;
  attribute(out_.occupancy, "OCCUPANCY", "percent of the threads that a multiprocessor can hold, at most",
            ValueType::uint64);
  attribute(out_.occupancy_limit, "OCCUPANCY_LIMIT", "what allows no more of them", ValueType::string);
  out_.shares[key] = {share.percent, string(share.limit)};
}

void Shapes::attribute(std::uint32_t& ref, const char* name, const char* description, ValueType type) {
  if (ref == undefined_ref) ref = find_or_add(d_.attributes, AttributeDefinition{name, description, type});
}

std::uint32_t Shapes::string(const std::string& text) {
  if (!strings_) strings_.emplace(d_.strings);
  return strings_->ref_of(text);
}

}  // namespace tracer::translate
