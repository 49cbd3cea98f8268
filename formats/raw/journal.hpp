// SPDX-License-Identifier: BSD-3-Clause
// The journal on disk: entries appended while the program runs, each complete in itself.
//
//   FileHeader, then per entry: u32 type, u32 size, u64 check (of type, size and payload), payload
//
// A killed program's journal ends anywhere; what is complete counts. Entries of unknown types are skipped.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <string_view>

#include "formats/raw/layout.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/journal.hpp"

namespace tracer::raw {

/// Values are part of the format: append only.
enum class EntryType : std::uint32_t {
  run = 1,
  clock = 2,
  device_clock = 3,
  callback = 4,
  entry_point = 5,
  state = 6,
  mutex_implementation = 7,
  place = 8,
  setting = 9,
  module = 10,
  module_unloaded = 11,
  channel = 12,
  device = 13,
  device_module = 14,
  string = 15,
  message = 16,
  counter = 17,
  end = 18,
  spool = 19,
  boot = 20,
  fact = 21,
  filter = 30,
};

/// What a journal contains besides the vocabulary's Journal.
struct JournalFile {
  Journal journal;
  RunId run;
  std::string spool;                ///< directory of the rings, "" when they died with the process
  std::string boot;                 ///< the kernel's boot id
  std::uint64_t cut_bytes = 0;      ///< at the end: an entry that was being written
  std::uint64_t in_vain = 0;        ///< bytes of which a checksum was made that was no entry's
  std::vector<std::string> damage;  ///< what could not be read, a line each
};

/// Appends entries; any thread. A failing disk is reported once by error(). Entries that are short and hold for the run
/// only need no memory; the others throw where there is none.
class JournalWriter {
 public:
  /// While one lives, entries are gathered, and written by one system call when the last one ends: a start or an end of
  /// some hundred entries is not as many waits for a slow file system.
  class Together {
   public:
    explicit Together(JournalWriter& writer) noexcept;
    ~Together();
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;

   private:
    JournalWriter& writer_;
  };

  /// Throws tracer::Error.
  void create(OwnFile file, RunId run);

  void run(const RunInfo& info);
  void clock(const ClockSync& sync);
  void device_clock(const DeviceClockSync& sync);
  void callback(const CallbackAnswer& answer);
  void entry_point(const CallbackAnswer& answer);
  void state(const NamedValue& value);
  void mutex_implementation(const NamedValue& value);
  void place(const std::vector<std::int32_t>& processors);
  void setting(const Setting& setting);
  void module(const Module& module);
  void module_unloaded(std::uint64_t begin, Ticks when);
  void channel(const ChannelInfo& info);  ///< the last one of an id counts
  void device(const DeviceInfo& info);    ///< the last one of a number counts
  void device_module(const DeviceModule& module);
  void string(std::uint32_t id, std::string_view text);
  void message(std::string_view line);
  void counter(std::string_view name, std::uint64_t value);  ///< the last one of a name counts
  void end(Ending ending, Ticks when);
  void spool(std::string_view directory);
  void boot(std::string_view id);
  void fact(std::string_view name, std::string_view value);  ///< the last one of a name counts
  void filter(std::string_view text);  ///< the file that TRACER_FILTER names, as it was when the run began

  /// errno of the first failed write, 0 none.
  int error() const noexcept { return error_; }
  std::uint64_t size() const noexcept { return file_.size(); }
  /// Whether what is reserved for the end of the run is whole.
  bool has_room() noexcept;
  void close() noexcept;
  /// Entries that hold for the process rather than the run (answers, settings, devices, strings): what a forked
  /// child's journal must contain, too.
  const std::vector<std::byte>& kept() const noexcept { return kept_; }
  void repeat(std::span<const std::byte> kept);
  /// For fork: nobody is inside while it is held.
  std::mutex& mutex() noexcept { return mutex_; }

 private:
  void append(EntryType type, std::span<const std::byte> payload);
  void write(std::span<const std::span<const std::byte>> parts) noexcept;
  void write_gathered() noexcept;
  bool make_room(std::uint64_t bytes) noexcept;
  void write_now(std::span<const std::span<const std::byte>> parts) noexcept;

  std::mutex mutex_;
  OwnFile file_;
  std::vector<std::byte> kept_;
  unsigned gathering_ = 0;
  std::vector<std::byte> gathered_;
  std::uint64_t reserved_until_ = 0;
  std::atomic<int> error_{0};
};

/// Throws tracer::Error when this is no journal, or one of another version. Damage inside is reported in the result.
JournalFile read_journal(const std::filesystem::path& path);

}  // namespace tracer::raw
