// SPDX-License-Identifier: BSD-3-Clause
// Watches the threads of a session, through the kernel (perf_thread.hpp) or by their own hand (signal_thread.hpp), and
// writes what was noted beside the raw trace.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "formats/raw/samples.hpp"
#include "tracer/asked_runtime.hpp"
#include "tracer/sample/code_map.hpp"
#include "tracer/sample/perf_thread.hpp"
#include "tracer/sample/plan.hpp"
#include "tracer/sample/signal_thread.hpp"
#include "tracer/session/session.hpp"

namespace tracer::sample {

class Sampler final : public ThreadObserver {
 public:
  /// Watches every thread that gets a channel from now on; `ask` is for handlers of signals. nullptr, after a line to
  /// the user, where the system does not allow it; never throws. Lives as long as the process.
  static Sampler* start(Session& session, AskRuntime ask) noexcept;

  bool watches(const Session& session) const noexcept { return &session == &session_; }
  /// On the thread itself; its first event only.
  void thread_began(ChannelId channel) noexcept override;
  void thread_ended(ChannelId channel) noexcept override;
  /// The drainer's thread, about ten times a second.
  void poll() noexcept;
  /// The process is about to end without more: the drainer's thread writes what is there. Waits for it, for 100 ms at
  /// most. May be called from a signal's handler.
  void save() noexcept;
  /// The runtime is about to end: it is queried no more.
  void stop_asking() noexcept;
  /// At the session's end, before it is finished: reads what is left and closes the file.
  void finish() noexcept;

 private:
  struct Watched {
    PerfThread kernel;
    SignalThread own;
    bool is_new = true, has_ended = false;
    std::uint64_t samples = 0;
  };

  explicit Sampler(Session& session) noexcept : session_(session) {}
  int watch(Watched& thread) noexcept;
  void note_lack(const PerfCounters& own);
  void drain() noexcept;
  void drain(ChannelId channel, Watched& thread);
  void record_source(ChannelId channel, std::uint64_t period_ns);
  void record_counters(ChannelId channel, std::span<const CounterId> ids);
  void account(Watched& thread) noexcept;
  void report_if_none_came() noexcept;
  void look_after_signal() noexcept;
  void stop_all() noexcept;
  void end_watching() noexcept;
  void copy_code_map() noexcept;
  void give_up(const char* what, int error) noexcept;

  Session& session_;
  SamplingPlan plan_;
  std::atomic<std::uint32_t> wanted_saves_{0}, done_saves_{0};  ///< calls of save()
  std::mutex mutex_;  ///< of all below; never held while the watched threads' events are recorded
  raw::SampleWriter file_;
  std::map<ChannelId, std::unique_ptr<Watched>> threads_;
  std::vector<std::unique_ptr<Watched>> kept_;  ///< had not ended when we did: a handler may be at them
  std::mutex map_mutex_;                        ///< of the next; not held with mutex_
  CodeMap code_map_;
  bool over_ = false, denied_ = false, counters_lack_ = false;
  int error_ = 0;                                        ///< of writing
  Nanoseconds processor_time_before_ = 0;                ///< of the process
  std::uint64_t timer_samples_ = 0, timer_used_ns_ = 0;  ///< of threads that have ended
  std::uint64_t threads_seen_ = 0, samples_ = 0, switches_ = 0, lost_ = 0, not_watched_ = 0, without_counters_ = 0;
};

}  // namespace tracer::sample
