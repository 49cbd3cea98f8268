// SPDX-License-Identifier: BSD-3-Clause
// Watches the threads of a session through the kernel (perf_thread.hpp) and writes what it noted beside the raw trace.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "formats/raw/samples.hpp"
#include "tracer/sample/perf_thread.hpp"
#include "tracer/session/session.hpp"

namespace tracer::sample {

class Sampler final : public ThreadObserver {
 public:
  /// Watches every thread that gets a channel from now on. nullptr, after a line to the user, where the system does not
  /// allow it; never throws. Lives as long as the process.
  static Sampler* start(Session& session) noexcept;

  bool watches(const Session& session) const noexcept { return &session == &session_; }
  /// On the thread itself; its first event only.
  void thread_began(ChannelId channel) noexcept override;
  /// The drainer's thread, about ten times a second.
  void poll() noexcept;
  /// At the session's end, before it is finished: reads what is left and closes the file.
  void finish() noexcept;

 private:
  explicit Sampler(Session& session) noexcept : session_(session) {}
  void drain() noexcept;
  void say_if_none_came() noexcept;
  void give_up(const char* what, int error) noexcept;

  Session& session_;
  PerfOptions options_;
  std::mutex mutex_;  ///< of all below; never held while the watched threads' events are recorded
  raw::SampleWriter file_;
  std::map<ChannelId, std::unique_ptr<PerfThread>> threads_;
  bool over_ = false, denied_ = false;
  Nanoseconds processor_time_before_ = 0;  ///< of the process
  std::uint64_t threads_seen_ = 0, samples_ = 0, switches_ = 0, lost_ = 0, not_watched_ = 0;
};

}  // namespace tracer::sample
