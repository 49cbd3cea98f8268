// SPDX-License-Identifier: BSD-3-Clause
// Serves a raw trace's records from its segments, and from the rings that a dead process left or a copy of those of a
// process that goes on.
#include "formats/raw/reader.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <map>
#include <system_error>
#include <vector>

#include "formats/raw/claim.hpp"
#include "formats/raw/journal.hpp"
#include "formats/raw/leftovers.hpp"
#include "formats/raw/moved_code.hpp"
#include "formats/raw/record_reader.hpp"
#include "formats/raw/ring_copy.hpp"
#include "formats/raw/segment_index.hpp"
#include "formats/raw/spool_reader.hpp"
#include "tracer/base/clock.hpp"
#include "tracer/base/files/checksum.hpp"
#include "tracer/base/files/file_lock.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/error.hpp"
#include "tracer/loss_counters.hpp"

namespace tracer::raw {
namespace {

class DeviceBatches final : public TraceSource::DeviceReader {
 public:
  DeviceBatches(int fd, const std::vector<Segment>& segments) : fd_(fd), segments_(segments) {}

  std::span<const DeviceRecord> next() override {
    while (at_ < segments_.size()) {
      const Segment& segment = segments_[at_++];
      batch_.resize(segment.records);
      const std::size_t bytes = batch_.size() * sizeof(DeviceRecord);
      if (read_at(fd_, batch_.data(), bytes, segment.offset) &&
          checksum(batch_.data(), bytes) == segment.payload_check) {
        return batch_;
      }
    }
    return {};
  }

 private:
  int fd_;
  const std::vector<Segment>& segments_;
  std::size_t at_ = 0;
  std::vector<DeviceRecord> batch_;
};

/// Whether a later reading is wanted, and on the line of those before it. Where the machine has slept since then, its
/// counter ran on and CLOCK_MONOTONIC did not. Readings of less than 10 ms give no line that says so; those of 100 ms
/// give the rate to 1e-6, and a later one may take part of a sleep, or of NTP's slewing, into the run.
bool continues(const std::vector<ClockSync>& readings, const ClockSync& later) {
  constexpr double shortest_ns = 10e6, enough_ns = 100e6, least_error_ns = 1e6, relative_error = 1e-3;
  if (readings.empty()) return true;
  const ClockSync &first = readings.front(), &last = readings.back();
  if (later.ticks <= last.ticks || later.monotonic <= last.monotonic) return false;
  if (last.ticks <= first.ticks || last.monotonic <= first.monotonic) return true;
  const auto known = static_cast<double>(last.monotonic - first.monotonic);
  if (known < shortest_ns) return true;
  if (known >= enough_ns) return false;
  const double gap = static_cast<double>(later.monotonic - last.monotonic);
  const double due =
      static_cast<double>(later.ticks - last.ticks) * known / static_cast<double>(last.ticks - first.ticks);
  return std::abs(due - gap) <= least_error_ns + relative_error * gap;
}

class Trace final : public RawTrace {
 public:
  explicit Trace(const std::filesystem::path& directory) {
    const std::filesystem::path path = directory / "journal";
    JournalFile file = read_journal(path);
    if (std::error_code error; std::filesystem::exists(directory / "rings", error)) file.spool = directory;
    if (!file.spool.empty()) open_rings(file.spool, file.run);
    report_.being_recorded = is_being_recorded(directory, file);
    // Of a process that goes on the rings come first: what they release meanwhile is in the segments. The journal comes
    // last: it has what the records refer to.
    if (report_.being_recorded && spool_.fd) copy_live_rings(directory);
    for (const auto& ring : spool_.rings) parts_[ring.channel].rings.push_back(ring);
    read_segments(directory / "trace", file.run);
    if (report_.being_recorded) file = read_journal(path);
    journal_ = std::move(file.journal);
    report_.damage.insert(report_.damage.begin(), file.damage.begin(), file.damage.end());
    report_.cut_bytes += file.cut_bytes;
    if (rings_are_gone_) note_lack_of_rings();
    note_private_rings();
    note_skipped_rings();
    journal_.moved_code = separate(journal_.modules);
    settle_channels();
    if (journal_.ending == Ending::unknown) continue_clock(file);
    count_missing();
    report_.complete = journal_.ending != Ending::unknown && report_.damage.empty() && report_.missing_records == 0 &&
                       report_.cut_bytes == 0;
    if (!report_.damage.empty()) journal_.counters["raw.damaged_places"] = report_.damage.size();
    if (report_.missing_records > 0) journal_.counters["raw.missing_records"] = report_.missing_records;
    if (report_.ring_records > 0) journal_.counters["raw.records_from_rings"] = report_.ring_records;
  }

  const Journal& journal() const override { return journal_; }
  const OpenReport& report() const override { return report_; }

  std::unique_ptr<RecordReader> records(ChannelId channel) const override {
    static const ChannelParts none;
    const auto found = parts_.find(channel);
    return move_code(make_record_reader(trace_.get(), spool_.fd.get(), found != parts_.end() ? found->second : none),
                     journal_.moved_code);
  }

  std::unique_ptr<DeviceReader> device_records() const override {
    return std::make_unique<DeviceBatches>(trace_.get(), device_);
  }

 private:
  void read_segments(const std::filesystem::path& path, const RunId& run) {
    trace_ = open_to_read(path).fd;
    SegmentIndex index;
    try {
      index = index_segments(trace_.get());
    } catch (const Error& error) {
      throw Error(path.string() + ": " + error.what());
    }
    if (!(index.run == run)) throw Error(path.string() + " belongs to another run than the journal beside it");
    report_.segments = index.segments;
    report_.cut_bytes += index.cut_bytes;
    for (const auto& segment : index.device) report_.device_records += segment.records;
    device_ = std::move(index.device);
    report_.damage.insert(report_.damage.end(), index.damage.begin(), index.damage.end());
    for (auto& [channel, segments] : index.channels) {
      if (report_.being_recorded) leave_out_later(segments, parts_[channel].rings);
      for (const auto& segment : segments) report_.records += segment.records;
      parts_[channel].segments = std::move(segments);
    }
  }

  /// What a copied ring has, and what it released behind its copy: the threads of a process that goes on are read up
  /// to the same moment.
  static void leave_out_later(std::vector<Segment>& segments, const std::vector<LeftRing>& copied) {
    for (const LeftRing& ring : copied)
      std::erase_if(segments, [&ring](const Segment& segment) { return segment.position >= ring.from; });
  }

  void open_rings(const std::filesystem::path& spool, const RunId& run) {
    std::error_code error;
    rings_are_gone_ = !std::filesystem::exists(spool / "rings", error);
    if (rings_are_gone_) return;
    try {
      SpoolFile file = open_spool(spool);
      if (!(file.run == run)) throw Error("the rings in " + spool.string() + " belong to another run");
      spool_ = std::move(file);
      report_.spool = spool;
    } catch (const Error& problem) {
      report_.damage.emplace_back(problem.what());
    }
  }

  void copy_live_rings(const std::filesystem::path& directory) {
    try {
      copy_rings(spool_, directory);
    } catch (const Error& problem) {
      spool_.rings.clear();
      report_.damage.emplace_back(problem.what());
    }
  }

  /// A finished run removes its rings; a dead one's may be gone with the machine's memory.
  void note_lack_of_rings() {
    if (journal_.ending == Ending::unknown) {
      journal_.counters[loss_counters::rings_gone] = 1;
      report_.damage.emplace_back(
          "the rings no longer exist: records that were not on disk when the program ended are lost");
    }
  }

  /// Where the file systems have no locks: whether a process of that number maps the rings.
  bool is_being_recorded(const std::filesystem::path& directory, const JournalFile& file) const {
    if (is_own(file.run)) return false;
    if (is_locked_by_recorder(directory)) return true;
    if (!spool_.fd) return false;
    const FileUse use = use_of(spool_.fd.get());
    if (use == FileUse::recorder) return true;
    if (use == FileUse::converter || spool_.locked) return false;
    return file.journal.ending == Ending::unknown &&
           process_is_alive(report_.spool, static_cast<std::uint32_t>(file.journal.run.process_id));
  }

  /// Those of a dead process died with it.
  void note_private_rings() {
    const auto count = journal_.counters.find(loss_counters::private_rings);
    if (journal_.ending != Ending::unknown || report_.being_recorded || count == journal_.counters.end()) return;
    report_.damage.push_back("the rings of " + std::to_string(count->second) +
                             " threads were in the process's own memory: what they held when it ended is lost");
  }

  /// Those of a live process change while they are looked at.
  void note_skipped_rings() {
    if (spool_.skipped == 0 || report_.being_recorded) return;
    report_.damage.push_back("rings that are not credible are skipped: " + std::to_string(spool_.skipped));
  }

  /// Every channel that has records gets its line in the journal; ids that no file of this size can have are dropped.
  void settle_channels() {
    const std::size_t most = journal_.channels.size() + 2 * parts_.size() + 1024;
    std::erase_if(parts_, [&](const auto& part) {
      if (part.first < most) return false;
      report_.damage.push_back("channel " + std::to_string(part.first) + " is not credible and is skipped");
      return true;
    });
    if (parts_.empty()) return;
    const std::size_t wanted = std::size_t{parts_.rbegin()->first} + 1;
    for (std::size_t id = journal_.channels.size(); id < wanted; ++id) {
      journal_.channels.emplace_back().id = static_cast<ChannelId>(id);
    }
    for (const auto& [channel, parts] : parts_) {
      auto& info = journal_.channels[channel];
      for (const auto& ring : parts.rings) {
        if (info.os_thread_id == 0) info.os_thread_id = ring.os_thread_id;
        if (info.begin == 0) info.begin = ring.begin;
      }
    }
  }

  /// A run that died early has no second reading of the clocks that tells their rate; on the same boot the counter
  /// still runs.
  void continue_clock(const JournalFile& file) {
    if (file.boot.empty() || file.boot != read_small_file("/proc/sys/kernel/random/boot_id")) return;
    const ClockSync sync = read_clocks(journal_.run.clock);
    if (!continues(journal_.clock, sync)) return;
    journal_.clock.push_back(sync);
    journal_.clock_is_continued = !report_.being_recorded && !is_own(file.run);
  }

  void count_missing() {
    for (auto& [channel, parts] : parts_) {
      std::uint64_t position = 0, recovered = 0;
      for (const auto& segment : parts.segments) {
        if (segment.position > position) report_.missing_records += segment.position - position;
        position = std::max(position, segment.position + segment.records);
      }
      for (const auto& ring : parts.rings) {
        const std::uint64_t from = std::max(position, ring.from);
        if (ring.to <= from) continue;
        recovered += ring.to - from;
        if (ring.from > position) report_.missing_records += ring.from - position;
        position = ring.to;
      }
      report_.ring_records += recovered;
      auto& info = journal_.channels[channel];
      info.records = std::max(info.records, position);
      // A run whose disk was full counted as lost what it could not write; the rings may still hold it.
      info.lost -= std::min(info.lost, recovered);
    }
  }

  Journal journal_;
  OpenReport report_;
  UniqueFd trace_;
  SpoolFile spool_;
  bool rings_are_gone_ = false;
  std::map<ChannelId, ChannelParts> parts_;
  std::vector<Segment> device_;
};

}  // namespace

std::filesystem::path raw_directory_of(const std::filesystem::path& path) {
  std::error_code error;
  for (const auto& candidate : {path, path / "raw"}) {
    if (std::filesystem::exists(candidate / "journal", error)) return candidate;
  }
  throw Error(path.string() + " has no raw trace (no file `journal` in it or in its `raw`)");
}

std::unique_ptr<RawTrace> open_trace(const std::filesystem::path& path) {
  return std::make_unique<Trace>(raw_directory_of(path));
}

std::unique_ptr<TraceSource> open(const std::filesystem::path& path) {
  return open_trace(path);
}

}  // namespace tracer::raw
