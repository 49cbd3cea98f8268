// SPDX-License-Identifier: BSD-3-Clause
// See sampler.hpp.
#include "tracer/sample/sampler.hpp"

#include <time.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "tracer/base/log.hpp"
#include "tracer/base/text.hpp"
#include "tracer/sample/plan.hpp"

namespace tracer::sample {
namespace {

/// Threads beyond this many are not watched: each costs a ring of the kernel's.
constexpr std::size_t most_threads = 1024;

Nanoseconds processor_time() noexcept {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<Nanoseconds>(used.tv_sec) * 1'000'000'000 + static_cast<Nanoseconds>(used.tv_nsec);
}

}  // namespace

Sampler* Sampler::start(Session& session) noexcept {
  const Config& config = session.config();
  if (config.sample == 0 && !config.schedule) return nullptr;
  try {
    auto made = std::unique_ptr<Sampler>(new Sampler(session));
    const Plan plan = make_plan(config);
    if (!plan.denied.empty()) session.message(plan.denied);
    made->options_ = plan.options;
    made->processor_time_before_ = processor_time();
    if (plan.options.period_ns == 0 && !plan.options.switches) return nullptr;
    made->file_.create(OwnFile::create(session.at() / "raw" / "samples", session.raw_directory() / "samples"), {});
    Sampler* result = made.release();
    session.observe_threads(result);
    return result;
  } catch (const std::exception& error) {
    session.message(std::string{"no samples are taken: "} + error.what());
  }
  return nullptr;
}

void Sampler::thread_began(ChannelId channel) noexcept {
  const KeepErrno keep;
  try {
    auto thread = std::make_unique<PerfThread>();
    const std::lock_guard lock(mutex_);
    if (over_) return;
    const int error = threads_.size() < most_threads ? thread->open(options_) : EMFILE;
    if (error != 0) {
      ++not_watched_;
      if (!denied_) session_.message("samples: some threads are not watched: " + reason_of(error));
      denied_ = true;
      return;
    }
    auto& place = threads_[channel];
    if (place) drain();  // the channel's thread before this one has ended
    place = std::move(thread);
    ++threads_seen_;
  } catch (...) {
  }
}

// The caller has the lock.
void Sampler::drain() noexcept {
  try {
    int error = 0;
    for (auto& [id, thread] : threads_) {
      if (!thread) continue;
      thread->drain([&, channel = id](const raw::SampleEntry& noted, std::span<const std::uint64_t> frames) {
        raw::SampleEntry entry = noted;
        entry.channel = channel;
        samples_ += entry.kind == raw::SampleKind::sample;
        switches_ += entry.kind == raw::SampleKind::switched_out;
        if (entry.kind == raw::SampleKind::lost) lost_ += entry.reason;
        if (error == 0) error = file_.append(entry, frames);
      });
    }
    if (error == 0) error = file_.flush();
    if (error != 0) give_up("writing them failed", error);
  } catch (...) {
    give_up("no memory", ENOMEM);
  }
}

void Sampler::give_up(const char* what, int error) noexcept {
  over_ = true;
  threads_.clear();
  file_.close();
  session_.message(std::string{"no more samples: "} + what + " (" + std::strerror(error) + ")");
}

// Some containers and virtual kernels open every event and never note anything.
void Sampler::say_if_none_came() noexcept {
  constexpr Nanoseconds enough_periods = 20;
  if (options_.period_ns == 0 || samples_ != 0 || threads_seen_ == 0) return;
  const Nanoseconds used = processor_time() - processor_time_before_;
  if (used < enough_periods * options_.period_ns) return;
  session_.message("no samples came from the kernel in " + std::to_string(used / 1'000'000) +
                   " ms of the process's processor time");
}

void Sampler::poll() noexcept {
  const std::lock_guard lock(mutex_);
  if (!over_) drain();
}

void Sampler::finish() noexcept {
  const std::lock_guard lock(mutex_);
  if (!over_) drain();
  over_ = true;
  threads_.clear();
  file_.close();
  session_.count("samples.taken", samples_);
  session_.count("samples.switches", switches_);
  session_.count("samples.lost", lost_);
  say_if_none_came();
  if (not_watched_ != 0) session_.count("samples.threads_not_watched", not_watched_);
}

}  // namespace tracer::sample
