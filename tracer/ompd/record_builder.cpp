// SPDX-License-Identifier: BSD-3-Clause
// Records in memory, one vector per thread.
#include "tracer/ompd/record_builder.hpp"

#include <sys/utsname.h>

#include <algorithm>

#include "tracer/base/clock.hpp"
#include "tracer/loss_counters.hpp"
#include "tracer/ompt_values.hpp"

namespace tracer::ompd {
namespace {

/// 3.2 GB. Who needs more uses the tracer from within.
constexpr std::size_t max_records = 100'000'000;

// Values of OMPT's enumerations (OpenMP 5.2, 19.4.4).
constexpr std::uint32_t team_flags = 0x80000002u;  // ompt_parallel_team, invoked by the runtime
constexpr std::uint32_t explicit_task = 0x4u;
constexpr std::uint16_t thread_initial = 1, thread_worker = 2;

Record make(std::uint64_t time, RecordKind kind, Endpoint endpoint, std::uint16_t sub, std::uint32_t a, std::uint64_t b,
            std::uint64_t c) {
  return {time, kind, endpoint, sub, a, b, c};
}

class Reader : public RecordReader {
 public:
  explicit Reader(std::span<const Record> all) : all_(all) {}
  std::span<const Record> next() override { return std::exchange(all_, {}); }

 private:
  std::span<const Record> all_;
};

class NoDevices : public TraceSource::DeviceReader {
 public:
  std::span<const DeviceRecord> next() override { return {}; }
};

ClockSync clocks() {
  const Nanoseconds monotonic = read_monotonic();
  return {monotonic, monotonic, read_clock(CLOCK_REALTIME)};
}

}  // namespace

RecordBuilder::RecordBuilder(const Snapshot& about, std::vector<Module> modules, std::uint64_t time) {
  RunInfo& run = journal_.run;
  run.program = about.program;
  run.process_id = about.process_id;
  run.main_thread_id = about.process_id;
  run.runtime_library = about.runtime;
  run.runtime_version = "by OMPD: " + about.plugin_version;
  run.omp_version = static_cast<std::uint32_t>(about.openmp_version);
  run.clock = ClockKind::monotonic;
  run.begin = time;
  utsname system{};
  if (uname(&system) == 0) {
    run.host = system.nodename;
    run.machine = std::string{system.sysname} + " " + system.machine;
  }
  journal_.clock.push_back(clocks());
  journal_.modules = std::move(modules);
}

ChannelId RecordBuilder::id_of(std::uint64_t thread, std::uint64_t time) {
  const auto [known, is_new] = by_thread_.try_emplace(thread, static_cast<ChannelId>(channels_.size()));
  if (is_new) {
    channels_.emplace_back();
    ChannelInfo info;
    info.id = known->second;
    info.os_thread_id = thread;
    info.begin = time;
    journal_.channels.push_back(info);
  }
  return known->second;
}

void RecordBuilder::emit(Channel& channel, const Record& record) {
  if (total_ >= max_records) {
    ++dropped_;
    return;
  }
  ++total_;
  channel.records.push_back(record);
}

void RecordBuilder::begin_thread(std::uint64_t thread, std::uint64_t time, bool initial) {
  const ChannelId id = id_of(thread, time);
  Channel& channel = channels_[id];
  if (channel.known_to_openmp) return;
  channel.known_to_openmp = true;
  const auto type = initial ? thread_initial : thread_worker;
  journal_.channels[id].thread_type = type;
  emit(channel, make(time, RecordKind::thread_begin, Endpoint::begin, type, 0, thread, 0));
  if (!initial) return;
  const TaskId task = make_id(id, ++channel.counter);
  const ParallelId parallel = make_id(id, ++channel.counter);
  channel.implicit_tasks.push_back(task);
  emit(channel, make(time, RecordKind::initial_task, Endpoint::begin, 1, 1, parallel, task));
}

void RecordBuilder::end_thread(std::uint64_t thread, std::uint64_t time) {
  emit(channels_[id_of(thread, time)], make(time, RecordKind::thread_end, Endpoint::end, 0, 0, 0, 0));
}

void RecordBuilder::thread_gone(std::uint64_t thread, std::uint64_t time) {
  const auto found = by_thread_.find(thread);
  if (found != by_thread_.end()) journal_.channels[found->second].end = time;
}

std::int64_t RecordBuilder::open_level(std::uint64_t thread) const {
  const auto found = by_thread_.find(thread);
  if (found == by_thread_.end() || channels_[found->second].regions.empty()) return 0;
  return channels_[found->second].regions.back().level;
}

void RecordBuilder::begin_region(const std::vector<std::uint64_t>& threads, std::int64_t level, std::uint64_t codeptr,
                                 std::uint64_t time) {
  if (threads.empty()) return;
  for (const std::uint64_t thread : threads) begin_thread(thread, time, thread == journal_.run.process_id);
  const ChannelId master = by_thread_.at(threads.front());
  Region region{make_id(master, ++channels_[master].counter), codeptr, level};
  const auto size = static_cast<std::uint32_t>(threads.size());
  emit(channels_[master], make(time, RecordKind::parallel_begin, Endpoint::begin, pack_parallel_flags(team_flags), size,
                               region.id, codeptr));
  for (std::uint32_t i = 0; i < size; ++i) enter_member(region, threads[i], i, size, time);
  channels_[master].regions.push_back(std::move(region));
}

void RecordBuilder::enter_member(Region& region, std::uint64_t thread, std::uint32_t number, std::uint32_t size,
                                 std::uint64_t time) {
  const ChannelId id = by_thread_.at(thread);
  Channel& member = channels_[id];
  const TaskId task = make_id(id, ++member.counter);
  member.implicit_tasks.push_back(task);
  region.members.emplace_back(id, task);
  emit(member, make(time, RecordKind::implicit_task, Endpoint::begin, static_cast<std::uint16_t>(number), size,
                    region.id, task));
}

void RecordBuilder::complete_region(const std::vector<std::uint64_t>& threads, std::uint64_t time) {
  if (threads.empty()) return;
  for (const std::uint64_t thread : threads) begin_thread(thread, time, thread == journal_.run.process_id);
  const ChannelId master = by_thread_.at(threads.front());
  if (channels_[master].regions.empty()) return;
  Region region = std::move(channels_[master].regions.back());
  const auto size = static_cast<std::uint32_t>(threads.size());
  for (std::uint32_t i = 0; i < size; ++i) {
    const ChannelId id = by_thread_.at(threads[i]);
    const bool known =
        std::any_of(region.members.begin(), region.members.end(), [&](const auto& m) { return m.first == id; });
    if (!known && channels_[id].tasks.empty()) enter_member(region, threads[i], i, size, time);
  }
  channels_[master].regions.back() = std::move(region);
}

bool RecordBuilder::end_region(std::uint64_t thread, std::uint64_t time) {
  const ChannelId master = id_of(thread, time);
  if (channels_[master].regions.empty()) return false;
  const Region region = std::move(channels_[master].regions.back());
  channels_[master].regions.pop_back();
  for (auto member = region.members.rbegin(); member != region.members.rend(); ++member) {  // the master last
    Channel& other = channels_[member->first];
    std::erase(other.implicit_tasks, member->second);
    emit(other, make(time, RecordKind::implicit_task, Endpoint::end, 0, 0, 0, member->second));
  }
  emit(channels_[master], make(time, RecordKind::parallel_end, Endpoint::end, pack_parallel_flags(team_flags), 0,
                               region.id, region.codeptr));
  return true;
}

void RecordBuilder::begin_task(std::uint64_t thread, std::uint64_t codeptr, std::uint64_t time) {
  begin_thread(thread, time, thread == journal_.run.process_id);
  const ChannelId id = by_thread_.at(thread);
  Channel& channel = channels_[id];
  const TaskId task = make_id(id, ++channel.counter), before = channel.current_task();
  emit(channel, make(time, RecordKind::task_create, Endpoint::none, pack_task_flags(explicit_task),
                     static_cast<std::uint32_t>(counter_of(task)), before, codeptr));
  emit(channel, make(time, RecordKind::task_schedule, Endpoint::none, task_status::switched, 0, before, task));
  channel.tasks.push_back(task);
}

bool RecordBuilder::end_task(std::uint64_t thread, std::uint64_t time) {
  Channel& channel = channels_[id_of(thread, time)];
  if (channel.tasks.empty()) return false;
  const TaskId ended = channel.tasks.back();
  channel.tasks.pop_back();
  emit(channel,
       make(time, RecordKind::task_schedule, Endpoint::end, task_status::complete, 0, ended, channel.current_task()));
  return true;
}

void RecordBuilder::enter_open(const Snapshot& about, bool waits, std::uint64_t time) {
  std::int64_t depth = 0;
  for (const ThreadView& thread : about.threads) {
    if (thread.number < 0) continue;
    begin_thread(thread.os_thread, time, thread.os_thread == about.process_id);
    if (thread.activity != Activity::idle && !thread.regions.empty())
      depth = std::max(depth, thread.regions.front().level);
  }
  for (std::int64_t level = 1; level <= std::min<std::int64_t>(depth, 1024); ++level) enter_regions(about, level, time);
  if (!waits) return;
  for (const ThreadView& thread : about.threads) {
    for (auto task = thread.tasks.rbegin(); task != thread.tasks.rend(); ++task) {
      if (task->implicit.value_or(true)) continue;
      begin_task(thread.os_thread, task->function ? codeptr_of_function(task->function->address) : 0, time);
    }
    enter_wait(thread, time);
  }
}

/// A region is entered by its thread 0, with all members that the snapshot shows.
void RecordBuilder::enter_regions(const Snapshot& about, std::int64_t level, std::uint64_t time) {
  std::map<std::size_t, std::map<std::int64_t, std::uint64_t>> teams;
  std::map<std::size_t, std::uint64_t> codeptr;
  for (const ThreadView& thread : about.threads) {
    for (const RegionView& region : thread.regions) {
      if (region.level != level || !region.member || region.team_size < 2 || thread.activity == Activity::idle)
        continue;
      teams[region.team][region.thread_number] = thread.os_thread;
      if (region.function) codeptr[region.team] = codeptr_of_function(region.function->address);
    }
  }
  for (const auto& [team, numbered] : teams) {
    if (numbered.begin()->first != 0) continue;
    std::vector<std::uint64_t> threads;
    for (const auto& [number, thread] : numbered) threads.push_back(thread);
    begin_region(threads, level, codeptr[team], time);
  }
}

void RecordBuilder::enter_wait(const ThreadView& thread, std::uint64_t time) {
  if (thread.number < 0) return;
  Channel& channel = channels_[id_of(thread.os_thread, time)];
  const std::uint64_t codeptr = thread.position ? codeptr_of_function(thread.position->address) : 0;
  const auto sync = [&](std::uint16_t kind) {
    emit(channel, make(time, RecordKind::sync_region, Endpoint::begin, kind, 0, channel.current_task(), codeptr));
  };
  const auto mutex = [&](std::uint16_t kind) {
    emit(channel, make(time, RecordKind::mutex_acquire, Endpoint::none, kind, 0, thread.wait_id, codeptr));
  };
  switch (thread.activity) {
    case Activity::barrier:
      return sync(sync_kind::barrier_explicit);
    case Activity::implicit_barrier:
      return sync(sync_kind::barrier_implicit_parallel);
    case Activity::taskwait:
      return sync(sync_kind::taskwait);
    case Activity::taskgroup:
      return sync(sync_kind::taskgroup);
    case Activity::lock:
      return mutex(mutex_kind::lock);
    case Activity::nest_lock:
      return mutex(mutex_kind::nest_lock);
    case Activity::critical:
      return mutex(mutex_kind::critical);
    case Activity::atomic:
      return mutex(mutex_kind::atomic);
    case Activity::ordered:
      return mutex(mutex_kind::ordered);
    default:
      return;
  }
}

void RecordBuilder::finish(std::uint64_t time) {
  journal_.clock.push_back(clocks());
  journal_.end = time;
  journal_.ending = Ending::finalize;
  for (ChannelInfo& info : journal_.channels) info.records = channels_[info.id].records.size();
  if (dropped_ != 0) count(loss_counters::attach_records, dropped_);
}

std::unique_ptr<RecordReader> RecordBuilder::records(ChannelId channel) const {
  return std::make_unique<Reader>(channel < channels_.size() ? std::span<const Record>{channels_[channel].records}
                                                             : std::span<const Record>{});
}

std::unique_ptr<TraceSource::DeviceReader> RecordBuilder::device_records() const {
  return std::make_unique<NoDevices>();
}

std::vector<Module> modules_of(const Modules& modules, const Target& target) {
  std::vector<Module> result;
  for (const MappedModule& module : modules.all()) {
    const bool usable = module.file != nullptr && !module.other_build;
    result.push_back(
        {target.file(module.path), usable ? module.file->build_id() : "", module.begin, module.end, module.bias, 0, 0});
  }
  return result;
}

}  // namespace tracer::ompd
