// SPDX-License-Identifier: BSD-3-Clause
// Records and journals as a run would have left them: what the benchmarks of the parts work on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tracer/journal.hpp"
#include "tracer/record.hpp"
#include "tracer/trace_source.hpp"

namespace tracer::bench {

/// What the body of the one parallel region does, over and over.
enum class Body { barrier, task, critical };

inline constexpr std::uint64_t code_address = 0x401000;

/// One member of a team: channel 0 is the master and forks. Steps of some ten nanoseconds, not quite even.
class Member {
 public:
  Member(ChannelId channel, std::uint32_t team_size) : channel_(channel), size_(team_size) {}

  std::vector<Record> run(Body body, std::size_t rounds) {
    put(RecordKind::thread_begin, Endpoint::none, channel_ == 0 ? 1 : 2, 0, 1000 + channel_, 0);
    if (channel_ == 0) begin_master();
    implicit_ = next_id();
    put(RecordKind::implicit_task, Endpoint::begin, static_cast<std::uint16_t>(channel_), size_, parallel(), implicit_);
    for (std::size_t i = 0; i < rounds; ++i) round(body);
    sync(2);  // implicit barrier
    put(RecordKind::implicit_task, Endpoint::end, static_cast<std::uint16_t>(channel_), size_,
        channel_ == 0 ? parallel() : 0, implicit_);
    if (channel_ == 0) end_master();
    put(RecordKind::thread_end, Endpoint::none, 0, 0, 0, 0);
    return std::move(records_);
  }

 private:
  std::uint64_t next_id() { return make_id(channel_, ++counter_); }
  static std::uint64_t parallel() { return make_id(0, 2); }

  void begin_master() {
    initial_ = next_id();
    put(RecordKind::initial_task, Endpoint::begin, 1, 1, 0, initial_);
    next_id();  // the region's
    put(RecordKind::parallel_begin, Endpoint::none, pack_parallel_flags(0x80000002u), size_, parallel(), code_address);
  }
  void end_master() {
    put(RecordKind::parallel_end, Endpoint::none, pack_parallel_flags(0x80000002u), 0, parallel(), code_address);
    put(RecordKind::initial_task, Endpoint::end, 1, 1, 0, initial_);
  }

  void round(Body body) {
    switch (body) {
      case Body::barrier:
        return sync(3);
      case Body::task:
        return task();
      case Body::critical:
        put(RecordKind::mutex_acquire, Endpoint::none, 5, 2, 0x404040, code_address + 64);
        put(RecordKind::mutex_acquired, Endpoint::none, 5, 0, 0x404040, code_address + 64);
        put(RecordKind::mutex_released, Endpoint::none, 5, 0, 0x404040, code_address + 80);
    }
  }
  void sync(std::uint16_t kind) {
    put(RecordKind::sync_region, Endpoint::begin, kind, 0, implicit_, code_address + kind);
    put(RecordKind::sync_region_wait, Endpoint::begin, kind, 0, implicit_, code_address + kind);
    put(RecordKind::sync_region_wait, Endpoint::end, kind, 0, implicit_, code_address + kind);
    put(RecordKind::sync_region, Endpoint::end, kind, 0, implicit_, code_address + kind);
  }
  void task() {
    const std::uint64_t id = next_id();
    put(RecordKind::task_create, Endpoint::none, pack_task_flags(4), static_cast<std::uint32_t>(counter_of(id)),
        implicit_, code_address + 32);
    put(RecordKind::task_schedule, Endpoint::none, 7, 0, implicit_, id);
    put(RecordKind::task_schedule, Endpoint::none, 1, 0, id, implicit_);
  }

  void put(RecordKind kind, Endpoint endpoint, std::uint16_t sub, std::uint32_t a, std::uint64_t b, std::uint64_t c) {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    time_ += 20 + (random_ >> 59);
    records_.push_back({time_, kind, endpoint, sub, a, b, c});
  }

  ChannelId channel_;
  std::uint32_t size_;
  std::uint64_t counter_ = 0, initial_ = 0, implicit_ = 0, random_ = 1;
  Ticks time_ = 1'000'000;
  std::vector<Record> records_;
};

class MemorySource final : public TraceSource {
 public:
  MemorySource(Body body, std::uint32_t threads, std::size_t rounds) {
    for (ChannelId c = 0; c < threads; ++c) {
      channels_.push_back(Member(c, threads).run(body, rounds));
      ChannelInfo info;
      info.id = c;
      info.os_thread_id = 1000 + c;
      info.thread_type = c == 0 ? 1 : 2;
      info.begin = channels_.back().front().time;
      info.records = channels_.back().size();
      journal_.channels.push_back(info);
      journal_.end = std::max(journal_.end, channels_.back().back().time + 100);
    }
    journal_.run.program = "/usr/bin/synthetic";
    journal_.run.begin = 999'000;
    journal_.run.process_id = journal_.run.main_thread_id = 1000;
    journal_.clock = {{999'000, 999'000, 1'700'000'000'000'000'000u},
                      {journal_.end, journal_.end, 1'700'000'000'000'000'000u + journal_.end}};
    journal_.ending = Ending::finalize;
  }

  const Journal& journal() const override { return journal_; }
  std::unique_ptr<RecordReader> records(ChannelId channel) const override {
    return std::make_unique<Reader>(channels_.at(channel));
  }
  std::unique_ptr<DeviceReader> device_records() const override { return std::make_unique<NoDevices>(); }

  const std::vector<Record>& channel(ChannelId id) const { return channels_.at(id); }
  std::size_t size() const {
    std::size_t sum = 0;
    for (const auto& c : channels_) sum += c.size();
    return sum;
  }

 private:
  struct Reader final : RecordReader {
    explicit Reader(std::span<const Record> all) : rest(all) {}
    std::span<const Record> next() override {
      const auto batch = rest.first(std::min<std::size_t>(rest.size(), 4096));
      rest = rest.subspan(batch.size());
      return batch;
    }
    std::span<const Record> rest;
  };
  struct NoDevices final : DeviceReader {
    std::span<const DeviceRecord> next() override { return {}; }
  };

  std::vector<std::vector<Record>> channels_;
  Journal journal_;
};

}  // namespace tracer::bench
