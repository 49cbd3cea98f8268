// SPDX-License-Identifier: BSD-3-Clause
// Finds attributes and parameters of an archive by their names, and in events the operations of devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tracer/definitions.hpp"
#include "tracer/event.hpp"

namespace tracer::report {

namespace detail {
template <class Named>
std::uint32_t find_by_name(const Named& all, std::string_view name) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].name == name) return static_cast<std::uint32_t>(i);
  return undefined_ref;
}
}  // namespace detail

/// Its number (OTF2's AttributeRef); undefined_ref: the archive has none of that name.
inline std::uint32_t find_attribute(const Definitions& definitions, std::string_view name) {
  return detail::find_by_name(definitions.attributes, name);
}
/// Likewise (OTF2's ParameterRef).
inline std::uint32_t find_parameter(const Definitions& definitions, std::string_view name) {
  return detail::find_by_name(definitions.parameters, name);
}

/// 0: the event does not have it.
inline std::uint64_t attribute_value(std::span<const EventAttribute> attributes, std::uint32_t attribute) {
  std::uint64_t value = 0;
  for (const EventAttribute& one : attributes)
    if (one.attribute == attribute && attribute != undefined_ref) value = one.value;
  return value;
}

/// By which number the events of the host and of a device name an operation: the attribute HOST_OP_ID, before that the
/// parameter "callsite id" after the Enter, and for copies the number of the RMA operation.
class HostOperationIds {
 public:
  explicit HostOperationIds(const Definitions& definitions)
      : attribute_{find_attribute(definitions, "HOST_OP_ID")}, callsite_{find_parameter(definitions, "callsite id")} {}

  /// 0: the event is of no operation. `otherwise` stands for a missing attribute.
  std::uint64_t of(const Event& event, std::span<const EventAttribute> attributes, std::uint64_t otherwise = 0) const {
    if (event.type == EventType::parameter_uint) return event.ref == callsite_ ? event.a : 0;
    const bool is_copy = event.type == EventType::rma_get || event.type == EventType::rma_put;
    if (!is_copy && event.type != EventType::enter) return 0;
    const std::uint64_t id = attribute_value(attributes, attribute_);
    if (id != 0 || otherwise != 0) return id != 0 ? id : otherwise;
    return is_copy ? event.b : 0;
  }

 private:
  std::uint32_t attribute_, callsite_;
};

}  // namespace tracer::report
