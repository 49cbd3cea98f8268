// SPDX-License-Identifier: BSD-3-Clause
// See signal_thread.hpp.
#include "tracer/sample/signal_thread.hpp"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>

#include "tracer/base/clock.hpp"

namespace tracer::sample {
namespace {

constinit std::atomic<int> taken{0};
constinit std::atomic<AskRuntime> ask{nullptr};
constinit std::atomic<int> asking{0};  ///< handlers that may be at the runtime
constinit thread_local SignalThread* current __attribute__((tls_model("initial-exec"))) = nullptr;
/// What a timer's signal carries, so that another sender's is known.
constexpr char mark = 0;

bool is_ours(const siginfo_t& info) noexcept {
  if (info.si_code == SI_TIMER) return info.si_value.sival_ptr == &mark;
  return info.si_code >= POLL_IN && info.si_code <= POLL_HUP;
}

// Of another sender: what would have become of it without us.
void pass_on(int signal) noexcept {
  if (signal == SIGURG) return;
  struct sigaction initial {};
  initial.sa_handler = SIG_DFL;
  ::sigaction(signal, &initial, nullptr);
  ::raise(signal);  // when this handler returns
}

void handle(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  if (!is_ours(*info)) {
    pass_on(signal);
  } else if (SignalThread* mine = current) {
    mine->take(context);
  }
  errno = error;
}

bool is_free(int signal) noexcept {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL;
}

/// Or for 100 ms: a handler is at it for a microsecond, unless its thread does not run.
template <class Condition>
void until(const Condition& holds) noexcept {
  for (int i = 0; i < 1000 && !holds(); ++i) {
    const timespec while_it_runs{0, 100'000};
    ::nanosleep(&while_it_runs, nullptr);
  }
}

}  // namespace

int take_signal() noexcept {
  int chosen = is_free(SIGURG) ? SIGURG : 0;
  for (int signal = SIGRTMAX; chosen == 0 && signal > SIGRTMIN; --signal)
    if (is_free(signal)) chosen = signal;
  if (chosen == 0) return EBUSY;
  prepare_unwinder();
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigfillset(&action.sa_mask);  // no handler of the program's runs on top of this one, and jumps out of it
  if (::sigaction(chosen, &action, nullptr) != 0) return errno;
  taken.store(chosen);
  return 0;
}

int sampling_signal() noexcept {
  return taken.load();
}

bool signal_is_ours() noexcept {
  struct sigaction now {};
  return ::sigaction(taken.load(), nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
         now.sa_sigaction == handle;
}

// A handler announces itself, then reads `ask`; here `ask` is written, then the announcements read.
void set_ask(AskRuntime now) noexcept {
  ask.store(now);
  until([] { return asking.load() == 0; });
}

std::uint64_t tick_ns() noexcept {
  timespec tick{};
  if (::clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0) return 10'000'000;
  return nanoseconds_of(tick);
}

// An event that counts down to one signal and is armed anew by the handler: of a thread that blocks the signal not more
// than one waits.
int SignalThread::start_event() noexcept {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.sample_period = period_ns_;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.disabled = 1;
  attributes.wakeup_events = 1;
  const int fd = static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (fd < 0) return errno;
  const f_owner_ex owner{F_OWNER_TID, static_cast<pid_t>(::syscall(SYS_gettid))};
  if (::fcntl(fd, F_SETSIG, sampling_signal()) != 0 || ::fcntl(fd, F_SETOWN_EX, &owner) != 0 ||
      ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_ASYNC) != 0) {
    const int error = errno;
    ::close(fd);
    return error;
  }
  event_.store(fd);
  return ::ioctl(fd, PERF_EVENT_IOC_REFRESH, 1) == 0 ? 0 : errno;
}

// The kernel looks at such timers at its ticks: one that is due at every tick of the thread's running, and of its
// signals each so-manieth is a sample.
int SignalThread::start_timer() noexcept {
  const std::uint64_t tick = tick_ns();
  every_ = std::max<std::uint64_t>(1, (period_ns_ + tick / 2) / tick);
  period_ns_ = every_ * tick;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = sampling_signal();
  event.sigev_value.sival_ptr = const_cast<char*>(&mark);
  event._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));  // sigev_notify_thread_id: no name in older headers
  if (::timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) != 0) return errno;
  has_timer_ = true;
  if (::pthread_getcpuclockid(::pthread_self(), &clock_) != 0) clock_ = CLOCK_THREAD_CPUTIME_ID;
  begun_at_ = read_clock(clock_);
  const timespec period{0, static_cast<long>(std::min<std::uint64_t>(tick / 8, 999'999'999))};
  const itimerspec times{period, period};
  return ::timer_settime(timer_, 0, &times, nullptr) == 0 ? 0 : errno;
}

int SignalThread::start(const SignalOptions& options) noexcept {
  // Twice what comes in a tenth of a second, by stacks of fifty.
  const std::uint64_t words = std::uint64_t{12'000'000'000} / options.period_ns;
  try {
    ring_ = std::make_unique<SignalRing>(std::clamp<std::uint64_t>(std::bit_ceil(words), 1u << 12, 1u << 18));
  } catch (...) {
    return ENOMEM;
  }
  bounds_ = own_stack_bounds();
  period_ns_ = options.period_ns;
  is_armed_.store(true);
  current = this;
  int error = options.by_perf ? start_event() : ENOSYS;
  if (error != 0) {
    if (const int fd = event_.exchange(-1); fd >= 0) ::close(fd);
    error = start_timer();
  }
  if (error != 0) end();
  return error;
}

void SignalThread::end() noexcept {
  if (current == this) current = nullptr;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  stop();
}

void SignalThread::stop() noexcept {
  if (!is_armed_.exchange(false)) return;
  if (has_timer_) {
    ::timer_delete(timer_);
    used_ns_ = read_clock(clock_) - begun_at_;
  }
  const int fd = event_.exchange(-1);
  if (fd < 0) return;
  until([this] { return !is_inside_.load(); });  // the handler's descriptor must not become another's
  ::close(fd);
}

void SignalThread::take(const void* context) noexcept {
  is_inside_.store(true);
  if (is_armed_.load()) {
    if (++signals_ % every_ == 0) write_sample(context);
    if (const int fd = event_.load(); fd >= 0) ::ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
  }
  is_inside_.store(false);
}

void SignalThread::write_sample(const void* context) noexcept {
  constexpr std::size_t head_words = 2 + raw::asked_words;
  const Nanoseconds time = read_monotonic();
  if (!ring_->begin(head_words + raw::most_frames)) return;
  AskedRuntime asked;
  asked.state = 0xffff;  // samples::state_not_asked
  asking.fetch_add(1);
  if (const AskRuntime question = ask.load(); question != nullptr) question(asked);
  asking.fetch_sub(1);
  ring_->put(0);
  ring_->put(time);
  ring_->put(asked.state);
  ring_->put(asked.wait_id);
  walk_stack(context, asked, bounds_, raw::most_frames, *ring_);
  const std::uint64_t words = ring_->count() - 2;
  ring_->set(0, words << 32 | static_cast<std::uint32_t>(::sched_getcpu()));
  ring_->commit();
}

void SignalThread::drain(const PerfThread::Visit& visit) {
  std::array<std::uint64_t, raw::asked_words + raw::most_frames> words;
  while (ring_ && !ring_->is_empty()) {
    const std::uint64_t head = ring_->take();
    raw::SampleEntry entry{};
    entry.kind = raw::SampleKind::asked;
    entry.processor = static_cast<std::uint32_t>(head);
    entry.frames = static_cast<std::uint16_t>(head >> 32);
    entry.time = ring_->take();
    for (std::size_t i = 0; i < entry.frames; ++i) words[i] = ring_->take();
    visit(entry, std::span<const std::uint64_t>(words.data(), entry.frames));
  }
  if (const std::uint32_t lost = ring_ ? ring_->take_lost() : 0) {
    raw::SampleEntry entry{};
    entry.kind = raw::SampleKind::lost;
    entry.time = read_monotonic();
    entry.reason = lost;
    visit(entry, {});
  }
}

}  // namespace tracer::sample
