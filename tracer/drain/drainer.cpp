// SPDX-License-Identifier: BSD-3-Clause
// One background thread: asleep until a ring is half full, a device buffer is complete, or it is time to look around.
#include "tracer/drain/drainer.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include <tbb/concurrent_queue.h>

#include "tracer/base/clock.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/files/own_descriptor.hpp"
#include "tracer/base/futex.hpp"
#include "tracer/base/memory_checks.hpp"
#include "tracer/base/own_stack.hpp"
#include "tracer/base/processors.hpp"
#include "tracer/drain/placement.hpp"
#include "tracer/drain/rings.hpp"
#include "tracer/session/channel.hpp"
#include "tracer/undisturbed.hpp"

namespace tracer {
namespace {

/// How often modules are looked at when nothing else happens.
constexpr unsigned look_around_ms = 100;
/// Clock readings: after 10 ms, 100 ms, then every second. The first ones serve programs that die young.
constexpr Nanoseconds first_clock_ns = 10'000'000, most_clock_ns = 1'000'000'000;

struct ProcessState {
  bool first_thread_has_ended = false;
  int threads = 0;  ///< 0 unknown
};

/// The first thread's `stat`. The process's own file contains the same, but adds up the times of all threads first.
UniqueFd open_process_state() noexcept {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", static_cast<int>(::getpid()));
  UniqueFd fd{::open(path, O_RDONLY | O_CLOEXEC)};
  if (!fd) fd = UniqueFd{::open("/proc/self/stat", O_RDONLY | O_CLOEXEC)};  // another namespace's /proc
  return fd;
}

/// The same for the whole run: the program may take every descriptor, or leave /proc behind by chroot(). Nothing where
/// it is the last free one, which cannot be moved up: that is the program's.
OwnDescriptor keep_process_state() noexcept {
  UniqueFd fd = open_process_state();
  const int number = fd.get();
  OwnDescriptor kept{std::move(fd)};
  if (kept.get() == number) kept.reset();
  return kept;
}

/// After the command's ")" the state, and 17 fields later the number of threads.
ProcessState read_process_state(const OwnDescriptor& kept) noexcept {
  ProcessState process;
  UniqueFd anew;
  int fd = kept.get();
  if (fd < 0) {
    anew = open_process_state();
    fd = anew.get();
  }
  char text[512];
  const ssize_t size = fd >= 0 ? ::pread(fd, text, sizeof text - 1, 0) : -1;
  if (size <= 0) return process;
  text[size] = '\0';
  const char* at = std::strrchr(text, ')');
  if (at == nullptr || at[1] != ' ') return process;
  process.first_thread_has_ended = at[2] == 'Z' || at[2] == 'X';
  constexpr int fields = 18;
  for (int field = 0; at != nullptr && field < fields; ++field) at = std::strchr(at + 1, ' ');
  if (at != nullptr) process.threads = std::atoi(at + 1);
  return process;
}

class Drainer final : public Consumer {
 public:
  explicit Drainer(Session& session) noexcept : session_(session), rings_(session) {}

  bool start() noexcept override {
    process_state_ = keep_process_state();
    rings_.prepare();
    // No signal of the program's may be handled here; the mask is inherited.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    mask_of_the_program_ = before;
    if (Disturbances::has_made(before)) ::sigemptyset(&mask_of_the_program_);
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, stack_beside_variables(stack_bytes));
    ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread{};
    const bool made = ::pthread_create(&thread, &attributes, run, this) == 0;
    ::pthread_attr_destroy(&attributes);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!made) process_state_.reset();
    has_thread_.store(made, std::memory_order_release);
    return made;
  }

  bool has_thread() const noexcept override { return has_thread_.load(std::memory_order_acquire); }

  void wake() noexcept override {
    work_.fetch_add(1, std::memory_order_release);
    futex_wake_all(work_);
  }

  void wake_from_producer(Channel& channel) noexcept override {
    placement_.note_producer(channel);
    wake();
  }

  bool is_crowded() const noexcept override { return placement_.is_crowded(); }

  bool drain_own(Channel& channel, bool urgent) noexcept override {
    if (!urgent && !is_crowded()) return false;
    placement_.note_producer(channel);
    // A look at the thread's time takes as long as encoding some hundred records.
    const bool is_measured = own_rounds_.fetch_add(1, std::memory_order_relaxed) % measured_rounds == 0;
    const Nanoseconds begin = is_measured ? processor_time() : 0;
    const bool is_empty = Rings::empty_own(session_, channel);
    if (is_measured) busy_.fetch_add(measured_rounds * (processor_time() - begin), std::memory_order_relaxed);
    return is_empty;
  }

  void request_flush() noexcept override {
    flush_.store(true, std::memory_order_release);
    wake();
  }

  void drain(bool everything) noexcept override {
    const std::lock_guard lock(mutex_);
    drain_locked(everything);
  }

  void enqueue(std::function<void()> job) noexcept override {
    try {
      jobs_.push(std::move(job));
      if (has_thread()) {
        wake();
      } else {
        run_jobs();
      }
    } catch (...) {
      session_.count("lost.jobs", 1);
    }
  }

  void run_jobs() noexcept override {
    std::function<void()> job;
    while (jobs_.try_pop(job)) {
      try {
        job();
      } catch (...) {
        session_.count("lost.jobs", 1);
      }
    }
  }

  void stop() noexcept override {
    stop_.store(true, std::memory_order_release);
    has_thread_.store(false, std::memory_order_release);
    wake();
  }

  std::uint64_t busy() const noexcept override { return busy_.load(std::memory_order_relaxed); }

  void hold() noexcept override { mutex_.lock(); }
  void release() noexcept override { mutex_.unlock(); }

  void leave_to_parent() noexcept override { process_state_.reset(); }

 private:
  static constexpr std::size_t stack_bytes = 256 << 10;
  static constexpr std::uint32_t measured_rounds = 8;  ///< one of so many stands for all

  static void* run(void* self) noexcept {
    const WithoutMemoryChecks unchecked;
    leave_this_thread_out();
    ::pthread_setname_np(::pthread_self(), "tracer-drain");
    run_on_usable_processors();  // also after a fork, whose thread the runtime may have bound
    auto& drainer = *static_cast<Drainer*>(self);
    drainer.loop();
    if (drainer.stop_.load(std::memory_order_acquire)) drainer.process_state_.reset();
    return nullptr;
  }

  void loop() noexcept {
    Nanoseconds clock_due = read_monotonic() + first_clock_ns, clock_step = first_clock_ns;
    while (!stop_.load(std::memory_order_acquire)) {
      const std::uint32_t seen = work_.load(std::memory_order_acquire);
      if (!jobs_.empty()) {
        placement_.lift();
        run_jobs();
      }
      placement_.apply();
      const bool everything = flush_.exchange(false, std::memory_order_acq_rel);
      std::size_t records = 0;
      {
        const std::lock_guard lock(mutex_);
        if (stop_.load(std::memory_order_acquire)) return;
        if (seen != drained_ || everything) records = drain_locked(everything);
        drained_ = seen;
        look_around(clock_due, clock_step);
      }
      if (records == 0 && only_we_are_left()) return end_the_process();
      session_.periodic();
      if (records < worth_another_look) futex_wait(work_, seen, look_around_ms);
    }
  }

  /// While the producers fill faster than a round takes, rounds follow each other without sleep.
  static constexpr std::size_t worth_another_look = 1 << 20;

  void look_around(Nanoseconds& clock_due, Nanoseconds& clock_step) noexcept {
    session_.look_at_modules();
    const Nanoseconds time = read_monotonic();
    if (time < clock_due) return;
    session_.read_clock();
    clock_step = std::min(clock_step * 10, most_clock_ns);
    clock_due = time + clock_step;
  }

  /// The program's last thread has ended (main by pthread_exit, and no workers): its process would have ended with it.
  /// The process's state is that of its first thread, which counts until the process ends.
  bool only_we_are_left() const noexcept {
    const ProcessState process = read_process_state(process_state_);
    return process.first_thread_has_ended && process.threads == 2;
  }

  // The C library ends the process with its last thread: by exit(), whose handlers are the program's and want a stack
  // and signals as they had. So a thread of the usual kind goes last:
  //   1. it waits until the drainer's thread is gone     2. it returns: exit(0)
  void end_the_process() noexcept {
    has_thread_.store(false, std::memory_order_release);
    placement_.lift();
    ::pthread_sigmask(SIG_SETMASK, &mask_of_the_program_, nullptr);
    pthread_t last{};
    if (::pthread_create(&last, nullptr, go_last, this) == 0) ::pthread_detach(last);
  }

  static void* go_last(void* self) noexcept {
    const OwnDescriptor& state = static_cast<const Drainer*>(self)->process_state_;
    constexpr timespec moment{0, 1'000'000};
    while (read_process_state(state).threads > 2) ::nanosleep(&moment, nullptr);
    return nullptr;
  }

  std::size_t drain_locked(bool everything) noexcept {
    const Nanoseconds begin = processor_time();
    const std::size_t records = rings_.empty(everything);
    busy_.fetch_add(processor_time() - begin, std::memory_order_relaxed);
    return records;
  }

  Session& session_;
  std::mutex mutex_;  ///< of rings_
  Rings rings_;
  Placement placement_;
  FutexWord work_{0};
  std::uint32_t drained_ = 0;
  std::atomic<std::uint64_t> busy_{0};
  std::atomic<std::uint32_t> own_rounds_{0};  ///< of producers that emptied their rings
  sigset_t mask_of_the_program_{};            ///< of the thread that started the tool; empty: unknown
  OwnDescriptor process_state_;               ///< written while there is no thread, or as it ends
  std::atomic<bool> stop_{false}, flush_{false}, has_thread_{false};
  tbb::concurrent_queue<std::function<void()>, std::allocator<std::function<void()>>> jobs_;
};

}  // namespace

Consumer* make_drainer(Session& session) {
  return new Drainer(session);
}

}  // namespace tracer
