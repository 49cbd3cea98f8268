// SPDX-License-Identifier: BSD-3-Clause
// See sampler.hpp.
#include "tracer/sample/sampler.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/base/clock.hpp"
#include "tracer/base/counters.hpp"
#include "tracer/base/log.hpp"
#include "tracer/base/text.hpp"
#include "tracer/loss_counters.hpp"
#include "tracer/property_names.hpp"
#include "tracer/samples.hpp"
#include "tracer/session/modules.hpp"

namespace tracer::sample {
namespace {

/// Threads beyond this many at once are not watched: each costs a ring.
constexpr std::size_t most_threads = 1024;

/// For the report.
void note_why_none(Session& session, std::string_view why) noexcept {
  try {
    session.journal().fact(properties::fact(properties::run_not_sampled), why);
  } catch (...) {  // no memory: already reported
  }
}

}  // namespace

Sampler* Sampler::start(Session& session, AskRuntime ask) noexcept {
  const Config& config = session.config();
  if (config.sample == 0 && !config.schedule) return nullptr;
  if (!session.consumer().has_thread()) {  // what threads note is lost where nobody reads it soon
    const char* const why = config.sample != 0 ? "no samples are taken: no thread could be started to read them"
                                               : "no scheduling is recorded: no thread could be started to read it";
    session.message(why);
    if (config.sample != 0) note_why_none(session, why);
    return nullptr;
  }
  try {
    auto made = std::unique_ptr<Sampler>(new Sampler(session));
    made->plan_ = make_plan(config);
    made->processor_time_before_ = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    static bool is_reported = false;  // a forked child does not repeat its parent's message
    if (!made->plan_.denied.empty())
      std::exchange(is_reported, true) ? session.journal().message(made->plan_.denied)
                                       : session.message(made->plan_.denied);
    if (config.sample != 0 && !made->plan_.takes_samples()) note_why_none(session, made->plan_.denied);
    if (!made->plan_.lacks.empty())
      session.journal().fact(properties::fact(properties::run_samples_lack), made->plan_.lacks);
    if (made->plan_.is_empty()) return nullptr;
    made->file_.create(OwnFile::create(session.at() / "raw" / "samples", session.raw_directory() / "samples"), {});
    if (made->plan_.takes_samples())
      made->code_map_.begin(session.at() / "raw" / raw::code_map, session.raw_directory() / raw::code_map);
    if (made->plan_.signal_period_ns != 0) set_ask(ask);
    Sampler* result = made.release();
    session.observe_threads(result);
    return result;
  } catch (const std::exception& error) {
    session.message_of({"no samples are taken: ", error.what()});
    if (config.sample != 0) note_why_none(session, error.what());
  }
  return nullptr;
}

// 0 or the errno; what of it goes is left watched.
int Sampler::watch(Watched& thread) noexcept {
  int error = 0;
  if (plan_.options.period_ns != 0 || plan_.options.switches) error = thread.kernel.open(plan_.options);
  if (plan_.signal_period_ns != 0)
    if (const int own = thread.own.start(plan_.signal_period_ns)) error = own;
  return error;
}

// The caller has the lock. A thread may lack counters that the trial had.
void Sampler::note_lack(const PerfCounters& own) {
  const std::vector<CounterId>& wanted = plan_.options.counters;
  if (own.ids().size() == wanted.size()) return;
  ++without_counters_;
  std::size_t first = 0;
  while (first + 1 < wanted.size() && own.error(first) == 0) ++first;
  if (!std::exchange(counters_lack_, true))
    session_.message("samples: some threads lack counters: " +
                     why_not_counted(own.error(first), counters()[wanted[first]]));
}

void Sampler::thread_began(ChannelId channel) noexcept {
  const KeepErrno keep;
  const std::lock_guard lock(mutex_);
  if (over_) return;
  const bool is_too_many = threads_.size() >= most_threads;
  Watched* thread = nullptr;
  try {
    thread = (threads_[channel] = std::make_unique<Watched>()).get();
  } catch (...) {  // no memory
    ++not_watched_;
    return;
  }
  const int error = is_too_many ? EMFILE : watch(*thread);
  ++(error == 0 ? threads_seen_ : not_watched_);
  try {
    if (error == 0 && plan_.options.period_ns != 0) note_lack(thread->kernel.counters());
    if (error != 0 && !std::exchange(denied_, true))
      session_.message("samples: some threads are not watched: " +
                       (is_too_many ? "there are more than " + std::to_string(most_threads) : reason_of(error)));
  } catch (...) {  // no memory to say so
  }
}

void Sampler::thread_ended(ChannelId channel) noexcept {
  const KeepErrno keep;
  const std::lock_guard lock(mutex_);
  const auto found = threads_.find(channel);
  if (found == threads_.end()) return;
  found->second->own.end();
  found->second->has_ended = true;
}

// The caller has the lock.
void Sampler::drain(ChannelId channel, Watched& thread) {
  const auto take = [&](const raw::SampleEntry& noted, std::span<const std::uint64_t> frames) {
    raw::SampleEntry entry = noted;
    entry.channel = channel;
    const bool is_sample = entry.kind == raw::SampleKind::sample || entry.kind == raw::SampleKind::asked ||
                           entry.kind == raw::SampleKind::counted;
    samples_ += is_sample;
    thread.samples += is_sample;
    switches_ += entry.kind == raw::SampleKind::switched_out;
    if (entry.kind == raw::SampleKind::lost) lost_ += entry.reason;
    if (error_ == 0) error_ = file_.append(entry, frames);
  };
  const PerfThread::Visit visit = std::ref(take);  // itself would take memory
  if (thread.is_new && thread.own.period_ns() != 0) record_source(channel, thread.own.period_ns());
  if (thread.is_new && !thread.kernel.counters().ids().empty())
    record_counters(channel, thread.kernel.counters().ids());
  thread.is_new = false;
  thread.kernel.drain(visit);
  thread.own.drain(visit);
}

// The caller has the lock.
void Sampler::record_source(ChannelId channel, std::uint64_t period_ns) {
  raw::SampleEntry source{};
  source.kind = raw::SampleKind::source;
  source.channel = channel;
  source.processor = static_cast<std::uint32_t>(samples::Source::signal);
  source.reason = static_cast<std::uint32_t>(period_ns);
  source.time = read_monotonic();
  if (error_ == 0) error_ = file_.append(source, {});
}

// The caller has the lock.
void Sampler::record_counters(ChannelId channel, std::span<const CounterId> ids) {
  const std::vector<std::uint64_t> words(ids.begin(), ids.end());
  raw::SampleEntry entry{};
  entry.kind = raw::SampleKind::counters;
  entry.channel = channel;
  entry.frames = static_cast<std::uint16_t>(words.size());
  entry.time = read_monotonic();
  if (error_ == 0) error_ = file_.append(entry, words);
}

// Timers miss ticks that a virtual machine's host takes away: what a sample stands for is known at the end.
void Sampler::account(Watched& thread) noexcept {
  if (thread.own.used_ns() == 0) return;
  timer_used_ns_ += thread.own.used_ns();
  timer_samples_ += thread.samples;
}

// The caller has the lock.
void Sampler::drain() noexcept {
  try {
    for (auto thread = threads_.begin(); thread != threads_.end();) {
      drain(thread->first, *thread->second);
      if (thread->second->has_ended || over_) account(*thread->second);
      thread = thread->second->has_ended ? threads_.erase(thread) : std::next(thread);
    }
    if (error_ == 0) error_ = file_.flush();
    session_.note_samples(file_.size());
    if (error_ != 0) give_up("writing them failed", error_);
  } catch (...) {
    give_up("no memory", ENOMEM);
  }
}

// The caller has the lock. What a handler may be looking at stays.
void Sampler::stop_all() noexcept {
  for (auto& [channel, thread] : threads_) {
    thread->own.stop();
    thread->kernel.close();
    try {
      kept_.push_back(std::move(thread));
    } catch (...) {
      static_cast<void>(thread.release());
    }
  }
  threads_.clear();
}

void Sampler::give_up(const char* what, int error) noexcept {
  over_ = true;
  stop_all();
  if (error_ == 0) file_.flush();
  file_.close();
  session_.message_of({"no more samples: ", what, " (", std::strerror(error), ")"});
}

// Some containers and virtual kernels open every event and never note anything.
void Sampler::report_if_none_came() noexcept {
  constexpr Nanoseconds enough_periods = 20;
  if (plan_.options.period_ns == 0 || samples_ != 0 || threads_seen_ == 0) return;
  const Nanoseconds used = read_clock(CLOCK_PROCESS_CPUTIME_ID) - processor_time_before_;
  if (used < enough_periods * plan_.options.period_ns) return;
  char why[128];
  std::snprintf(why, sizeof why, "no samples came from the kernel in %llu ms of the process's processor time",
                static_cast<unsigned long long>(used / 1'000'000));
  session_.message(why);
  note_why_none(session_, why);
}

// The caller has the lock.
void Sampler::look_after_signal() noexcept {
  if (plan_.signal_period_ns == 0 || signal_is_ours()) return;
  for (auto& [channel, thread] : threads_) thread->own.stop();
  plan_.signal_period_ns = 0;
  char number[16];
  std::snprintf(number, sizeof number, "%d", sampling_signal());
  const char* const name = ::strsignal(sampling_signal());  // that of a real-time signal takes memory
  session_.message_of(
      {"no more samples: the program itself uses signal ", number, " (", name != nullptr ? name : "real-time", ")"});
}

void Sampler::copy_code_map() noexcept {
  const std::lock_guard lock(map_mutex_);
  try {
    code_map_.copy();
    if (const std::string message = code_map_.take_message(); !message.empty()) session_.message(message);
  } catch (const std::exception& error) {
    code_map_.close();
    session_.message_of({"names of code are not read: ", error.what()});
  }
}

void Sampler::poll() noexcept {
  const std::uint32_t wanted = wanted_saves_.load(std::memory_order_acquire);
  {
    const std::lock_guard lock(mutex_);
    if (over_) return done_saves_.store(wanted, std::memory_order_release);
    if (session_.recording()) {
      look_after_signal();
      drain();
    } else {
      end_watching();
    }
  }
  copy_code_map();
  done_saves_.store(wanted, std::memory_order_release);
}

// Perhaps below a signal's handler, which may have interrupted malloc, or one of our own functions with a lock held:
// the drainer's thread does it, and the caller waits, though not for long.
void Sampler::save() noexcept {
  constexpr timespec moment{0, 1'000'000};
  constexpr int most_moments = 100;
  const std::uint32_t wanted = wanted_saves_.fetch_add(1, std::memory_order_acq_rel) + 1;
  session_.consumer().wake();
  for (int i = 0; i < most_moments; ++i) {
    if (static_cast<std::int32_t>(done_saves_.load(std::memory_order_acquire) - wanted) >= 0) return;
    ::nanosleep(&moment, nullptr);
  }
}

// No handler is at the runtime from then on: each is for some microseconds, unless its thread does not run, or the
// program has left it by a jump. Nobody waits longer than this for one, nor for who has the lock.
void Sampler::stop_asking() noexcept {
  constexpr timespec moment{0, 100'000};
  constexpr int most_moments = 1000;
  set_ask(nullptr);
  for (int i = 0; i < most_moments; ++i) {
    if (const std::unique_lock lock(mutex_, std::try_to_lock); lock) {
      const auto is_asking = [](const auto& thread) { return thread.second->own.is_asking(); };
      if (std::none_of(threads_.begin(), threads_.end(), is_asking)) return;
    }
    ::nanosleep(&moment, nullptr);
  }
}

// The caller has the lock.
void Sampler::end_watching() noexcept {
  if (std::exchange(over_, true)) return;
  for (auto& [channel, thread] : threads_) thread->own.stop();
  drain();
  if (timer_samples_ != 0) record_source(0, timer_used_ns_ / timer_samples_);
  file_.flush();
  stop_all();
}

void Sampler::finish() noexcept {
  stop_asking();
  copy_code_map();
  {
    const std::lock_guard lock(map_mutex_);  // a poll may be copying
    code_map_.close();
  }
  const std::lock_guard lock(mutex_);
  end_watching();
  file_.close();
  report_if_none_came();
  try {
    session_.journal().fact(properties::fact(properties::run_code_of_no_module), code_of_no_module());
  } catch (...) {  // no memory: then it is not known
  }
  session_.count("samples.taken", samples_);
  session_.count("samples.switches", switches_);
  session_.count("samples.lost", lost_);
  if (not_watched_ != 0) session_.count("samples.threads_not_watched", not_watched_);
  if (without_counters_ != 0) session_.count(loss_counters::sampled_uncounted, without_counters_);
}

}  // namespace tracer::sample
