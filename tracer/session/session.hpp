// SPDX-License-Identifier: BSD-3-Clause
// One run: its channels, its raw trace and its journal. Made once, never destroyed: threads may still be in
// handlers, and static destructors may have run, when it ends.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "formats/raw/journal.hpp"
#include "tracer/base/config.hpp"
#include "tracer/device_record.hpp"
#include "tracer/session/channel.hpp"
#include "tracer/session/modules.hpp"

namespace tracer {

/// What empties the rings; tracer/drain implements it. All functions may be called by any thread.
class Consumer {
 public:
  virtual ~Consumer() = default;
  /// False when no thread is to be had: then producers call drain() themselves.
  virtual bool start() noexcept = 0;
  virtual bool has_thread() const noexcept = 0;
  virtual void wake() noexcept = 0;
  /// The same, by a producer that needs room: the consumer should not run on its processor.
  virtual void wake_from_producer(Channel&) noexcept { wake(); }
  /// The channel's own thread. Whether the consumer has no processor that producers leave to it.
  virtual bool is_crowded() const noexcept { return false; }
  /// The channel's own thread empties its ring itself, where is_crowded() or `urgent`. False: it is not empty, as
  /// somebody else is at it or the trace takes no more.
  virtual bool drain_own(Channel&, bool /*urgent*/) noexcept { return false; }
  /// Async-signal-safe: drain(true) soon.
  virtual void request_flush() noexcept = 0;
  /// Empties the rings that requested it, on the caller's thread, one caller at a time. With `everything`, all rings,
  /// also those of a flight recorder.
  virtual void drain(bool everything) noexcept = 0;
  virtual void enqueue(std::function<void()> job) noexcept = 0;
  /// Runs what is queued, on the caller's thread.
  virtual void run_jobs() noexcept = 0;
  /// Ends the thread; it is not waited for longer than it needs for what it is at.
  virtual void stop() noexcept = 0;
  /// Nanoseconds of processor time spent emptying rings so far, on whatever thread.
  virtual std::uint64_t busy() const noexcept { return 0; }
  /// Around fork: nobody is at the rings or the files in between.
  virtual void hold() noexcept = 0;
  virtual void release() noexcept = 0;
  /// In a forked child, which has no thread of the consumer's: closes what is open.
  virtual void leave_to_parent() noexcept {}
};

/// An observer of threads (tracer/sample).
class ThreadObserver {
 public:
  virtual ~ThreadObserver() = default;
  /// On the thread itself, when it has got its channel and before its first record is in it.
  virtual void thread_began(ChannelId channel) noexcept = 0;
  /// On the thread itself, when it ends and after its last record. Not of threads that the process's end finds.
  virtual void thread_ended(ChannelId channel) noexcept = 0;
};

class Session;
using ConsumerFactory = Consumer* (*)(Session&);
inline constexpr ChannelId any_channel = 0xffffffff;

enum class RecordingState : std::uint8_t { recording, stopped, finishing, finished };

class Session {
 public:
  /// Makes the output directory, the rings and the raw trace, and starts the consumer. nullptr, after one line on
  /// standard error, when that cannot be: then nothing is recorded and the program runs on.
  static Session* start(RunInfo run, const Config& config, ConsumerFactory make_consumer) noexcept;
  /// The session that records, or recorded last; nullptr before the first and in a forked child that has none yet.
  static Session* current() noexcept { return current_.load(std::memory_order_acquire); }

  RecordingState state() const noexcept { return state_.load(std::memory_order_acquire); }
  bool recording() const noexcept { return state() == RecordingState::recording; }
  const Config& config() const noexcept;
  const RunInfo& run() const noexcept;
  /// The archive's directory (absolute), and the raw trace's in it.
  const std::filesystem::path& directory() const noexcept;
  const std::filesystem::path& raw_directory() const noexcept;
  /// As directory(), wherever that path leads by now: for what is opened, not for messages. "": it is gone.
  std::filesystem::path at() const;

  /// An OpenMP runtime joins a run that something else began: its fields of `known` become the run's.
  void record_runtime(const RunInfo& known) noexcept;

  /// For everything the journal holds that has no function here. Not for handlers of frequent events.
  raw::JournalWriter& journal() noexcept;
  /// The id of a text in the journal, from 1; 0 when it could not be kept. Any thread.
  std::uint32_t intern(std::string_view text) noexcept;
  /// The same for a name that the program chose as it ran: there are so many of them (program_names.hpp).
  std::uint32_t intern_name(std::string_view text) noexcept;
  /// Prints a line to the user and writes it into the journal.
  void message(std::string_view line) noexcept;
  /// The same of a line in parts, of which the first KiB counts. Needs no memory to put them together.
  void message_of(std::initializer_list<std::string_view> parts) noexcept;
  /// Adds to a named counter of the journal, written at the end.
  void count(std::string_view name, std::uint64_t amount) noexcept;

  /// What devices did. Any thread but not in handlers.
  void device_records(std::span<const DeviceRecord> records) noexcept;
  /// How long the file of samples is by now: the limit of size holds for it and the raw trace together.
  void note_samples(std::uint64_t bytes) noexcept;
  /// Runs `job` on the drainer's thread soon, or inside finish(); must not throw. For completed device buffers.
  void enqueue(std::function<void()> job) noexcept;

  /// Ends recording for good (a limit, a full disk): `reason` is printed once. What is recorded stays. `counter`: of
  /// loss_counters.hpp; noted also where the last records find no room.
  void stop_recording(const char* counter, std::string_view reason) noexcept;
  /// Writes what the flight recorder holds now, and goes on. Without a flight recorder: empties the rings.
  void flush() noexcept;
  /// Ends the run: empties the rings, completes journal and trace, removes the rings' file. Idempotent; other threads
  /// may be recording meanwhile and then find themselves without a channel. False: there is nothing to convert (a
  /// forked child's inherited session). Also where there is no memory.
  bool finish(Ending ending) noexcept;
  /// After finish(), and after the conversion if this process makes it: others may have the raw trace.
  void release_raw_trace() noexcept;

  /// Whether a thread that the runtime took for an initial one, other than the caller, has not ended yet.
  bool has_another_initial_thread() noexcept;

  /// Before the runtime registers its own fork handlers, that is in ompt_start_tool.
  static void prepare_for_forks() noexcept;

  /// Called by the drainer's thread about ten times a second, from now on; clocks of devices are read there.
  /// At most two.
  void add_periodic(void (*job)() noexcept) noexcept {
    for (auto& place : periodic_) {
      void (*none)() noexcept = nullptr;
      if (place.compare_exchange_strong(none, job, std::memory_order_acq_rel)) return;
    }
  }
  /// From now on; at most one, which lives as long as the process.
  void observe_threads(ThreadObserver* observer) noexcept {
    thread_observer_.store(observer, std::memory_order_release);
  }
  ThreadObserver* thread_observer() const noexcept { return thread_observer_.load(std::memory_order_acquire); }
  /// Called on a thread that came into a team for the first time, if its Channel::await_team() was.
  void set_joined(void (*job)(Channel&) noexcept) noexcept { joined_.store(job, std::memory_order_release); }
  void joined(Channel& channel) noexcept {
    if (auto* job = joined_.load(std::memory_order_acquire)) job(channel);
  }

  /// The module around an address of code. For handlers that meet code they have not seen: a library may be closed
  /// again before anybody else looks. Rare, and may allocate.
  CodeRange code_range(std::uint64_t address) noexcept;

  // For the consumer.
  void periodic() noexcept {
    for (auto& place : periodic_)
      if (auto* job = place.load(std::memory_order_acquire)) job();
  }
  std::size_t channel_count() const noexcept;
  Channel& channel(std::size_t index) noexcept;
  /// The channels that requested draining, none of them twice: the first, see Channel::leave_list(); nullptr: none
  /// did.
  Channel* take_listed() noexcept;
  /// What is encoded there. False when the trace takes no more.
  bool write_segment(const raw::SegmentEncoder& segment) noexcept;
  /// The same of a flight recorder's ring, for which there is no limit of size.
  bool write_copy(const raw::SegmentEncoder& segment) noexcept;
  /// Ends recording, unless `error` is 0.
  void failed_to_write(int error) noexcept;
  /// A ring of a flight recorder could not be written: while the program runs it goes on.
  void failed_to_copy(int error) noexcept;
  /// Its thread has ended and all is written: the next thread may have it.
  void recycle(Channel& channel) noexcept;
  /// While recording: writes the clocks, and now and then the kernel's facts of now, into the journal. Ends recording
  /// where the journal could not be written.
  void read_clock() noexcept;
  void look_at_modules() noexcept;

  // For channels.
  Consumer& consumer() noexcept;
  Spool& spool() noexcept;
  /// `id`: the one that a forked child's first thread has used already.
  Channel* open_channel(ChannelId id = any_channel) noexcept;
  /// Puts the channel on the list of those to be drained; the consumer is still to be woken. Any thread.
  void list_for_drain(Channel& channel) noexcept;
  void close_channel(Channel& channel) noexcept;

  /// Called with each session that a forked child begins, before a thread of it has a channel.
  static void set_begun_in_child(void (*job)(Session&) noexcept) noexcept {
    begun_in_child_.store(job, std::memory_order_release);
  }

  // For fork(): see fork.cpp.
  /// Nobody else writes the trace or holds a lock, until resume().
  void hold() noexcept;
  void resume() noexcept;
  /// In the child, which has nothing to do with it. What it was doing.
  RecordingState forget() noexcept;
  /// A child's own session, as this one was; nullptr as start(). `has_first_thread`: whose ids have channel 0.
  Session* start_again(bool has_first_thread) const noexcept;

  struct Shared;  ///< session_shared.hpp

 private:
  Session() = default;
  static Session* start_or_throw(RunInfo run, const Config& config, ConsumerFactory make_consumer);
  void write_channel_end(Channel& channel) noexcept;
  void write_processors(const Channel& channel, std::uint64_t thread);
  void write_end(Ending ending) noexcept;
  void write_clock(bool is_end) noexcept;
  void look_at_flush_signal() noexcept;
  void close_trace() noexcept;
  Channel* take_free_channel() noexcept;
  Channel* make_new_channel(int& why) noexcept;
  void note_private_ring(const Channel& channel) noexcept;
  void note_unrecorded_thread(int why) noexcept;
  void report_unrecorded_threads() noexcept;
  bool is_full() const noexcept;
  void stop_at_limit() noexcept;
  std::atomic<std::uint64_t>& loss(std::string_view counter) noexcept;
  std::uint64_t note_loss(std::string_view counter) noexcept;
  void write_counter(std::string_view counter, std::uint64_t value) noexcept;
  void write_loss(std::string_view counter) noexcept;
  void interrupt_all() noexcept;

  static std::atomic<Session*> current_;
  static std::atomic<void (*)(Session&) noexcept> begun_in_child_;
  std::atomic<RecordingState> state_{RecordingState::recording};
  std::atomic<void (*)(Channel&) noexcept> joined_{nullptr};
  std::array<std::atomic<void (*)() noexcept>, 2> periodic_{};
  std::atomic<ThreadObserver*> thread_observer_{nullptr};
  Shared* shared_ = nullptr;
  Session* before_ = nullptr;  ///< the process's previous session: never destroyed, and no leak
};

}  // namespace tracer
