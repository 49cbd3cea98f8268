// SPDX-License-Identifier: BSD-3-Clause
// See sampler.hpp.
#include "tracer/sample/sampler.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include "tracer/base/log.hpp"
#include "tracer/base/text.hpp"

namespace tracer::sample {
namespace {

/// Threads beyond this many are not watched: each costs a descriptor and a ring.
constexpr std::size_t most_threads = 1024;

std::string reason_of(int error) {
  if (error == EACCES || error == EPERM) {
    std::string paranoid = read_small_file("/proc/sys/kernel/perf_event_paranoid", 16);
    while (!paranoid.empty() && paranoid.back() == '\n') paranoid.pop_back();
    return "the system forbids it (kernel.perf_event_paranoid is " + (paranoid.empty() ? "not readable" : paranoid) +
           "; 2 or less is needed, and in containers perf_event_open must be allowed)";
  }
  if (error == ENOSYS || error == ENOENT || error == EOPNOTSUPP) return "this kernel has no such events";
  return std::strerror(error);
}

}  // namespace

Sampler* Sampler::start(Session& session) noexcept {
  const Config& config = session.config();
  if (config.sample == 0 && !config.schedule) return nullptr;
  try {
    auto made = std::unique_ptr<Sampler>(new Sampler(session));
    if (config.sample != 0) made->options_.period_ns = 1'000'000'000 / config.sample;
    made->options_.switches = config.schedule;
    PerfThread probe;
    if (const int error = probe.open(made->options_)) {
      if (config.sample != 0 || config.schedule_was_asked_for)
        session.message((config.sample != 0 ? "no samples are taken: " : "no scheduling is recorded: ") +
                        reason_of(error));
      return nullptr;
    }
    probe.close();
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
  if (not_watched_ != 0) session_.count("samples.threads_not_watched", not_watched_);
}

}  // namespace tracer::sample
