// SPDX-License-Identifier: BSD-3-Clause
// A small raw trace of two threads, and of an operation of a device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "formats/raw/journal.hpp"
#include "formats/raw/writer.hpp"
#include "fuzz/left_rings.hpp"
#include "tracer/device_record.hpp"

namespace tracer::test {

inline const raw::RunId small_trace_id{7, 9};

inline Record small_record(Ticks time, RecordKind kind, Endpoint endpoint, std::uint16_t sub, std::uint32_t a,
                           std::uint64_t b, std::uint64_t c) {
  return {time, kind, endpoint, sub, a, b, c};
}

inline std::vector<Record> records_of_small_trace(ChannelId channel) {
  const auto begin = Endpoint::begin, end = Endpoint::end;
  const TaskId task = make_id(channel, 2), explicit_task = make_id(0, 3);
  std::vector<Record> records{
      small_record(1000, RecordKind::thread_begin, begin, channel == 0 ? 1 : 2, 1, 100 + channel, 0)};
  if (channel == 0)
    records.push_back(small_record(1100, RecordKind::parallel_begin, begin, 0x8002, 2, make_id(0, 1), 0x401000));
  records.push_back(small_record(1200, RecordKind::implicit_task, begin, static_cast<std::uint16_t>(channel), 2,
                                 make_id(0, 1), task));
  records.push_back(small_record(1300, RecordKind::work, begin, 1, 0, 10, 0x401010));
  records.push_back(small_record(1400, RecordKind::work, end, 1, 0, 0, 0x401010));
  if (channel == 0) {
    records.push_back(small_record(1410, RecordKind::task_create, begin, 4, 3, task, 0x401020));
    records.push_back(small_record(1420, RecordKind::task_schedule, begin, 7, 0, task, explicit_task));
    records.push_back(small_record(1430, RecordKind::task_schedule, begin, 1, 0, explicit_task, task));
  }
  for (const auto kind : {RecordKind::mutex_acquire, RecordKind::mutex_acquired, RecordKind::mutex_released}) {
    records.push_back(
        small_record(1450 + channel * 20 + static_cast<unsigned>(kind), kind, Endpoint::none, 5, 2, 0x7000, 0x401030));
  }
  records.push_back(small_record(1500, RecordKind::sync_region, begin, 2, 0, task, 0x401040));
  records.push_back(small_record(1600, RecordKind::sync_region, end, 2, 0, task, 0x401040));
  records.push_back(small_record(1610, RecordKind::target_data_op, begin, 1, 0, 77, 4096));
  records.push_back(small_record(0x1234, RecordKind::more, Endpoint::none, 0, 1, 0x5678, 0x401050));
  records.push_back(
      small_record(1700, RecordKind::implicit_task, end, static_cast<std::uint16_t>(channel), 0, 0, task));
  if (channel == 0)
    records.push_back(small_record(1800, RecordKind::parallel_end, end, 0x8002, 0, make_id(0, 1), 0x401000));
  return records;
}

inline void write_small_journal(const std::filesystem::path& path) {
  raw::JournalWriter journal;
  journal.create(OwnFile::create(path), small_trace_id);
  RunInfo run;
  run.program = "/bin/app";
  run.begin = 900;
  journal.run(run);
  journal.clock({900, 900, 1'700'000'000'000'000'000u});
  journal.module({"/bin/app", "ab", 0x400000, 0x500000, 0, 0, 0});
  for (ChannelId id = 0; id < 2; ++id) {
    ChannelInfo channel;
    channel.id = id;
    channel.os_thread_id = 100 + id;
    journal.channel(channel);
  }
  DeviceInfo device;
  device.type = "sm_90";
  journal.device(device);
  journal.string(1, "kernel");
  journal.clock({2000, 2000, 1'700'000'000'000'001'100u});
  journal.end(Ending::finalize, 2000);
}

inline void write_small_rings(const std::filesystem::path& path, const std::vector<Record>& records) {
  std::string bytes = left_rings(small_trace_id, 0);
  add_left_ring(bytes, 1, 32, records);
  std::ofstream{path, std::ios::binary} << bytes;
}

/// Its three files, finished.
inline void write_small_raw_trace(const std::filesystem::path& directory) {
  write_small_journal(directory / "journal");
  raw::TraceWriter trace;
  trace.create(OwnFile::create(directory / "trace"), small_trace_id);
  const auto first = records_of_small_trace(0), second = records_of_small_trace(1);
  trace.append(0, 0, std::span(first).first(5), std::span(first).subspan(5));
  trace.append(1, 0, std::span(second).first(4), {});
  DeviceRecord device{};
  device.kind = DeviceRecordKind::kernel;
  device.start = 1500;
  device.end = 1600;
  device.host_op_id = 77;
  trace.append(std::span(&device, 1));
  write_small_rings(directory / "rings", second);
}

}  // namespace tracer::test
