// SPDX-License-Identifier: BSD-3-Clause
// What an event of MPI has beside its fields (event.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "tracer/event.hpp"

namespace tracer::report {

/// The payload's value, as a request; 0: there is none.
inline std::uint64_t payload_value(std::span<const EventAttribute> attributes) {
  return attributes.empty() || !attributes.front().is_payload() ? 0 : attributes.front().value;
}

}  // namespace tracer::report
