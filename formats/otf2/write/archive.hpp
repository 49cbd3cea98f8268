// SPDX-License-Identifier: BSD-3-Clause
// An OTF2 archive that is being written: its files, its memory and whether it is still to be used. The
// library writes anchor and definitions; the locations' files are ours (event_file.hpp).
#pragma once

#include <otf2/otf2.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "formats/otf2/write/chunk_pool.hpp"
#include "formats/otf2/write/event_file.hpp"
#include "formats/otf2/write/numbering.hpp"
#include "formats/otf2/write/sink.hpp"

namespace tracer::otf2 {

/// A location's file once it is closed.
struct WrittenLocation {
  bool opened = false, closed = false;
  std::uint64_t events = 0;
};

class Archive {
 public:
  Archive(std::filesystem::path directory, const Otf2Options& options);
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// Before the first open_events: what attributes and metrics there are.
  void prepare(const Definitions& definitions);

  /// Any thread; each location once. The file must not outlive the archive.
  std::unique_ptr<EventFile> open_events(LocationRef location);
  void close_events(LocationRef location, EventFile& file);

  /// Definitions, local definition files, anchor. No location may be open.
  void finish(const Definitions& definitions);

  /// No further use of the sink: what was written is not a whole trace.
  void give_up() noexcept { usable_.store(false, std::memory_order_relaxed); }
  /// As give_up(), and the library itself failed: it would crash when used on, even to close.
  void library_failed() noexcept {
    library_failed_.store(true, std::memory_order_relaxed);
    give_up();
  }
  /// A location's file cannot be written: as give_up(), and every later use, on any thread, throws the first such
  /// error.
  [[noreturn]] void fail(LocationRef location, const std::string& why);
  void require_usable() {
    if (!usable_.load(std::memory_order_relaxed)) [[unlikely]]
      refuse();
  }

  /// By attribute; those beyond are uint64.
  std::span<const ValueType> attribute_types() const noexcept { return options_.attribute_types; }
  /// By metric of the definitions, as far as they were known first.
  std::span<const OTF2_MetricRef> metric_refs() const noexcept { return metric_refs_; }
  /// The reference of a metric of the definitions; its class has the one before when it is an instance.
  OTF2_MetricRef metric_ref(std::uint32_t metric) const noexcept {
    const auto known = static_cast<std::uint32_t>(metric_refs_.size());
    if (metric < known) return metric_refs_[metric];
    return (known == 0 ? 0 : metric_refs_.back() + 1) + 2 * (metric - known) + 1;
  }
  std::uint64_t events_of(std::size_t location) const noexcept { return written_[location].events; }
  Otf2Level level() const noexcept { return options_.level; }
  std::string name() const { return (directory_ / "traces.otf2").string(); }

 private:
  [[noreturn]] void refuse();
  void number_metrics();
  void set_up();
  void check_complete(const Definitions& definitions);
  void write_definitions(const Definitions& definitions, const Numbering& numbering);
  void restrict_access() const;

  std::filesystem::path directory_;
  Otf2Options options_;
  std::vector<OTF2_MetricRef> metric_refs_;
  ChunkPool pool_;
  OTF2_Archive* archive_ = nullptr;
  std::atomic<bool> usable_{true}, library_failed_{false};
  UniqueFd place_;      ///< the archive's directory
  UniqueFd locations_;  ///< the directory of the locations' files
  LocalDefinitionWriter local_definitions_;
  std::mutex mutex_;         ///< guards what follows
  std::string first_error_;  ///< of fail(); "" none
  std::vector<WrittenLocation> written_;
};

}  // namespace tracer::otf2
