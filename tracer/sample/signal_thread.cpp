// SPDX-License-Identifier: BSD-3-Clause
// See signal_thread.hpp.
#include "tracer/sample/signal_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>

#include "formats/raw/samples.hpp"
#include "tracer/base/clock.hpp"

namespace tracer::sample {
namespace {

constexpr std::size_t head_words = 2;  ///< of an entry of the ring: processor and time

constinit std::atomic<int> taken{0};
constinit std::atomic<AskRuntime> ask{nullptr};
constinit thread_local SignalThread* current __attribute__((tls_model("initial-exec"))) = nullptr;
/// What a timer's signal carries, so that another sender's is known.
constexpr char mark = 0;

bool is_ours(const siginfo_t& info) noexcept {
  return info.si_code == SI_TIMER && info.si_value.sival_ptr == &mark;
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

}  // namespace

int take_signal() noexcept {
  if (taken.load() != 0 && signal_is_ours()) return 0;  // in a forked child
  int chosen = is_free(SIGURG) ? SIGURG : 0;
  for (int signal = SIGRTMAX; chosen == 0 && signal > SIGRTMIN; --signal)
    if (is_free(signal)) chosen = signal;
  if (chosen == 0) return EBUSY;
  prepare_unwinder();
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;  // no signal is blocked, not even this one
  ::sigemptyset(&action.sa_mask);
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

void set_ask(AskRuntime now) noexcept {
  ask.store(now);
}

std::uint64_t tick_ns() noexcept {
  timespec tick{};
  if (::clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0) return 10'000'000;
  return nanoseconds_of(tick);
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

int SignalThread::start(std::uint64_t period_ns) noexcept {
  // Twice what comes in a tenth of a second, by stacks of fifty.
  const std::uint64_t words = std::uint64_t{12'000'000'000} / period_ns;
  try {
    ring_ = std::make_unique<SignalRing>(std::clamp<std::uint64_t>(std::bit_ceil(words), 1u << 12, 1u << 18));
  } catch (...) {
    return ENOMEM;
  }
  bounds_ = own_stack_bounds();
  period_ns_ = period_ns;
  is_armed_.store(true);
  current = this;
  const int error = start_timer();
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
}

// Where a handler takes longer than a period, the next signal comes before it is done: without this, handlers would
// pile up. The mark shows whether the handler that set it is still active, and not left by longjmp: it lies in memory
// of the stack that is in use again soon. If it outlives its handler, it counts for so many signals only.
__attribute__((no_sanitize("address"))) bool SignalThread::interrupts_itself(std::uint64_t here) noexcept {
  constexpr unsigned most_passed_over = 100;
  const std::uint64_t at = mark_at_.load(std::memory_order_relaxed);
  if (at <= here || !bounds_.has_word(at) || !bounds_.contains(here)) return false;
  if (*reinterpret_cast<const volatile std::uint64_t*>(at) != mark_.load(std::memory_order_relaxed)) return false;
  return passed_over_.fetch_add(1, std::memory_order_relaxed) < most_passed_over;
}

void SignalThread::take(const void* context) noexcept {
  if (!is_armed_.load()) return;
  volatile std::uint64_t mark = 0;
  const auto here = reinterpret_cast<std::uint64_t>(&mark);
  if (interrupts_itself(here)) return ring_->lose();
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // neighbours differ in many bits
  passed_over_.store(0, std::memory_order_relaxed);
  mark_.store(mark_.load(std::memory_order_relaxed) + odd, std::memory_order_relaxed);
  mark = mark_.load(std::memory_order_relaxed);
  mark_at_.store(here, std::memory_order_relaxed);
  if (++signals_ % every_ == 0) {
    // What is on a stack of its own has one frame, and no room for many.
    bounds_.contains(here) ? write_sample<raw::most_frames>(context) : write_sample<1>(context);
  }
  mark_at_.store(0, std::memory_order_relaxed);
  mark = 0;
}

template <std::size_t most>
__attribute__((noinline)) void SignalThread::write_sample(const void* context) noexcept {
  std::array<std::uint64_t, head_words + raw::asked_words + most> words;
  words[0] = static_cast<std::uint32_t>(::sched_getcpu());
  words[1] = read_monotonic();
  AskedRuntime asked;
  asked.state = 0xffff;  // samples::state_not_asked
  // Announced, then `ask` is read; who changes `ask` reads the announcement after that.
  is_asking_.store(true);
  if (const AskRuntime question = ask.load(); question != nullptr) question(asked);
  is_asking_.store(false);
  words[2] = asked.state;
  words[3] = asked.wait_id;
  constexpr std::size_t before = head_words + raw::asked_words;
  const std::size_t frames = walk_stack(context, asked, bounds_, std::span(words).subspan(before));
  ring_->push(std::span<const std::uint64_t>(words).first(before + frames));
}

void SignalThread::drain(const PerfThread::Visit& visit) {
  std::array<std::uint64_t, head_words + raw::asked_words + raw::most_frames> words;
  for (std::size_t count = 0; ring_ && (count = ring_->take(words)) >= head_words;) {
    raw::SampleEntry entry{};
    entry.kind = raw::SampleKind::asked;
    entry.processor = static_cast<std::uint32_t>(words[0]);
    entry.frames = static_cast<std::uint16_t>(count - head_words);
    entry.time = words[1];
    visit(entry, std::span<const std::uint64_t>(words).subspan(head_words, entry.frames));
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
