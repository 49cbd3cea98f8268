// SPDX-License-Identifier: BSD-3-Clause
// See memory_need.hpp.
#include "tracer/convert/memory_need.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

#include "device/correlate/streams.hpp"
#include "tracer/base/files/spill_room.hpp"
#include "tracer/base/formatted.hpp"
#include "tracer/base/limits.hpp"
#include "tracer/base/text.hpp"
#include "tracer/convert/sample_need.hpp"
#include "tracer/device_timeline.hpp"
#include "tracer/host_operation.hpp"
#include "tracer/ids.hpp"
#include "tracer/ompt_values.hpp"
#include "tracer/range_language.hpp"

namespace tracer {
namespace {

/// What the translator's tables keep (tracer/translate/resolve/tables.hpp), as measured: of a region, of one thread's
/// part in it (203 together, which may lie in a file), of a task of a run that was
/// killed or paused, of a lock's operation; of
/// everything else nothing that counts.
constexpr std::uint64_t of_region = 110, of_part = 100, of_task = 26, of_lock_operation = 3;
/// Of an untied task's switch, and more where it is suspended: its switches are put in order then.
constexpr std::uint64_t of_untied_switch = 4, of_suspension = 72;
/// Of a record at the worst: one thread's regions of which nothing but their begins and ends is recorded.
constexpr std::uint64_t of_any_record = (of_region + of_part) / 4;
/// Of an operation of a device, from its record or in want of one: while its stream is made it is there as it was
/// placed and twice as the timeline has it (device/correlate/streams.cpp). The timeline's own stays through the
/// conversion, with a copy of it where recording paused.
constexpr std::uint64_t of_device_operation = sizeof(device::PlacedOperation) + 2 * sizeof(DeviceOperation);
/// Of a record that joins a provider's number with the host's, or of a call of a device's library: two nodes of hash
/// tables with three words each, and what they take besides (device/correlate/join.hpp).
constexpr std::uint64_t of_device_link = 2 * 7 * sizeof(std::uint64_t);
/// Of an operation that the host requested: in the list of them, which is copied as it grows, and its stand-in.
constexpr std::uint64_t of_host_operation = 2 * sizeof(HostOperation) + of_device_operation;
/// Of a conversion besides its tables: buffers, threads, symbols.
constexpr std::uint64_t besides_tables = 32 << 20;
/// Tables up to this size need no check, unless there are several conversions: every program has that much.
constexpr std::uint64_t small_tables = 16 << 20;
/// Processor time of an event, on slow processors.
constexpr Nanoseconds of_event = 70;

std::uint64_t count_records(const Journal& journal) {
  std::uint64_t records = 0;
  for (const ChannelInfo& channel : journal.channels) records += channel.records;
  return records;
}

struct TableBytes {
  std::uint64_t movable = 0;  ///< into a file
  std::uint64_t kept = 0;
  std::uint64_t of_devices = 0;  ///< where the run has devices
  /// But for devices, whose timeline stays when the tables are gone.
  std::uint64_t in_memory(std::uint64_t file) const noexcept { return kept + movable - std::min(movable, file); }
};

std::uint64_t of_switch(const Record& record) {
  const bool suspends = record.sub == task_status::yield || record.sub == task_status::switched;
  return ((record.b & untied_bit) != 0 ? of_untied_switch + (suspends ? of_suspension : 0) : 0) +
         ((record.c & untied_bit) != 0 ? of_untied_switch : 0);
}

TableBytes table_bytes(const TraceSource& source) {
  TableBytes bytes;
  for (std::size_t c = 0; c < source.journal().channels.size(); ++c) {
    const auto reader = source.records(static_cast<ChannelId>(c));
    for (auto records = reader->next(); !records.empty(); records = reader->next()) {
      for (const Record& record : records) {
        const bool begins = record.endpoint == Endpoint::begin;
        switch (record.kind) {
          case RecordKind::parallel_begin:
            bytes.movable += of_region;
            break;
          case RecordKind::implicit_task:
          case RecordKind::initial_task:
            bytes.movable += begins ? of_part : 0;
            break;
          case RecordKind::task_create:
            bytes.kept += of_task;
            break;
          case RecordKind::task_schedule:
            bytes.kept += of_switch(record);
            break;
          case RecordKind::mutex_acquired:
          case RecordKind::mutex_released:
          case RecordKind::nest_lock:
            bytes.kept += of_lock_operation;
            break;
          case RecordKind::target_submit:
          case RecordKind::target_data_op:
            bytes.of_devices += record.endpoint != Endpoint::end ? of_host_operation : 0;
            break;
          case RecordKind::range_push:
            bytes.of_devices += record.sub == call_of_device ? of_device_link : 0;
            break;
          default:
            break;
        }
      }
    }
  }
  return bytes;
}

std::uint64_t bytes_of_device_records(const TraceSource& source) {
  std::uint64_t bytes = 0;
  const auto reader = source.device_records();
  for (auto records = reader->next(); !records.empty(); records = reader->next()) {
    for (const DeviceRecord& record : records) {
      switch (record.kind) {
        case DeviceRecordKind::invalid:
        case DeviceRecordKind::lost:
        case DeviceRecordKind::target_begin:
        case DeviceRecordKind::target_end:
          break;
        case DeviceRecordKind::correlation:
          bytes += of_device_link;
          break;
        default:
          bytes += of_device_operation;
          break;
      }
    }
  }
  return bytes;
}

/// From numbers and sizes alone.
std::uint64_t most_bytes(const Journal& journal, std::uint64_t records, const BesideRecords& beside) {
  const bool has_devices = !journal.devices.empty();
  return records * (has_devices ? of_host_operation : of_any_record) +
         (has_devices ? beside.device_records * of_device_operation : 0) + most_bytes_of_samples(beside.samples);
}

/// Samples are converted when the tables are gone.
std::uint64_t counted_bytes(const TraceSource& source, const Limits& limits, const BesideRecords& beside) {
  const TableBytes tables = table_bytes(source);
  const std::uint64_t devices =
      source.journal().devices.empty() ? 0 : tables.of_devices + bytes_of_device_records(source);
  return devices + std::max(tables.in_memory(limits.file), bytes_of_samples(beside.samples, limits.memory));
}

std::string seconds(Nanoseconds time) {
  return formatted("%.1f s", static_cast<double>(time) * 1e-9);
}

}  // namespace

std::string what_lacks(const TraceSource& source, const Limits& limits, const BesideRecords& beside) {
  const std::uint64_t records = count_records(source.journal());
  if (records > limits.processor_time / of_event)
    return "converting takes some " + seconds(records * of_event) + " of processor time, and the limit leaves " +
           seconds(limits.processor_time);
  const auto suffices_for = [&](std::uint64_t bytes) {
    return (bytes <= small_tables && !limits.is_share) || bytes + besides_tables <= limits.memory;
  };
  if (suffices_for(most_bytes(source.journal(), records, beside))) return "";
  const std::uint64_t bytes = counted_bytes(source, limits, beside);
  if (suffices_for(bytes)) return "";
  return "converting takes up to " + format_bytes(bytes + besides_tables) + " of memory, and " +
         format_bytes(limits.memory) + " are free";
}

Limits limits_of_process(const std::filesystem::path& directory, unsigned at_once) {
  // A file is mapped: where the address space is limited it saves nothing.
  rlimit space{};
  const bool is_limited = ::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
  const std::uint64_t file = is_limited ? 0 : spill_room(directory);
  return {memory_left() / at_once, processor_time_left() / at_once, file / at_once, at_once > 1};
}

}  // namespace tracer
