// SPDX-License-Identifier: BSD-3-Clause
// Turns the records of a trace buffer, standard or native, into DeviceRecords.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "device/ompt/entry_points.hpp"
#include "tracer/device_provider.hpp"
#include "tracer/device_record.hpp"

namespace tracer::device::ompt {

/// A range of records as buffer_complete describes it.
struct Range {
  void* buffer = nullptr;
  std::size_t bytes = 0;
  ompt_buffer_cursor_t begin = 0;
};

/// What a range held.
struct ParseCount {
  std::uint64_t records = 0;     ///< handed to the sink
  std::uint64_t unreadable = 0;  ///< NULL, of type invalid, or native without a description
  std::uint64_t first = 0;       ///< the earliest start on the device's clock; 0 none
  std::uint64_t last = 0;        ///< the latest end
};

/// One standard record; `name` is left 0 but for records that are only known by name.
DeviceRecord convert(const ompt_record_ompt_t& record, std::int32_t device, DeviceSink& sink) noexcept;

/// Walks the range and hands its records to the sink. A range without bytes is not looked at: AMD
/// returns ownership with cursor 0. With `count_only` nothing is read but the cursors.
///
/// Must run inside buffer_complete when the runtime keeps the buffer: AMD's advance_buffer_cursor
/// finds the end of a range only until the callback returns.
ParseCount parse(const EntryPoints& entry, DeviceHandle device, std::int32_t number, const Range& range,
                 DeviceSink& sink, bool count_only = false) noexcept;

}  // namespace tracer::device::ompt
