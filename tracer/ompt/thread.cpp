// SPDX-License-Identifier: BSD-3-Clause
// Handlers of native threads.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "tracer/ompt/context.hpp"
#include "tracer/ompt/emit.hpp"
#include "tracer/ompt/handlers.hpp"
#include "tracer/ompt/runtime_state.hpp"
#include "tracer/session/session.hpp"

namespace tracer::ompt {

namespace {

std::atomic<bool> places_are_recorded{false};

// libomp binds a worker when it wakes it for its first team, long after thread_begin, and the initial thread at its
// first region; and its places are there from then until shortly before it finalises the tool.
void look_at_place(Channel& channel) noexcept {
  const auto get_place_num = context().entry_points.get_place_num;
  const int place = get_place_num != nullptr ? get_place_num() : -1;
  if (place < 0) return;
  channel.bind(sched_getcpu(), place);
  record_places();
}

void emit_begin(Channel& channel, std::uint32_t thread_type, int place) noexcept {
  const int processor = sched_getcpu();
  channel.identify(thread_type, processor, place);
  channel.emit({.time = now(),
                .kind = RecordKind::thread_begin,
                .endpoint = Endpoint::begin,
                .sub = sub_of(thread_type),
                .a = static_cast<std::uint32_t>(processor + 1),
                .b = static_cast<std::uint64_t>(syscall(SYS_gettid)),
                .c = static_cast<std::uint64_t>(place + 1)});
}

constinit std::atomic<std::uint64_t> threads_begun{0};

bool is_first_of_forked_child() noexcept {
  static constinit std::atomic<pid_t> process{0};
  const pid_t own = ::getpid(), before = process.exchange(own, std::memory_order_relaxed);
  return before != 0 && before != own;
}

}  // namespace

void record_places() noexcept try {
  Session* session = Session::current();
  if (session == nullptr || places_are_recorded.load(std::memory_order_relaxed)) return;
  const auto places = enumerate_places(context().entry_points);
  if (places.empty() || places_are_recorded.exchange(true)) return;
  const raw::JournalWriter::Together together(session->journal());
  for (const auto& processors : places) session->journal().place(processors);
} catch (...) {  // no memory: the archive lacks them
}

std::uint64_t take_threads_begun() noexcept {
  return threads_begun.exchange(0, std::memory_order_relaxed);
}

void begin_thread(std::uint32_t thread_type) noexcept {
  if (Channel* channel = this_channel()) emit_begin(*channel, thread_type, -1);
}

// The thread's word names its channel, so that a debugger's view of the runtime (OMPD) can be
// joined with the trace.
// libomp (19 to 22) delivers a forked child's first inside fork(), with its locks held: requesting the place would wait
// for ever.
void on_thread_begin(ompt_thread_t thread_type, ompt_data_t* thread_data) noexcept {
  Channel* channel = this_channel();
  if (channel == nullptr) return;
  set_value(thread_data, make_id(channel->id(), channel->next_counter()));
  const auto get_place_num = context().entry_points.get_place_num;
  const bool may_ask = !is_first_of_forked_child() && get_place_num != nullptr && Session::current() != nullptr;
  const int place = may_ask ? get_place_num() : -1;
  emit_begin(*channel, static_cast<std::uint32_t>(thread_type), place);
  threads_begun.fetch_add(1, std::memory_order_relaxed);
  if (!may_ask) return;
  set_thread_may_ask(true);
  Session::current()->set_joined(look_at_place);
  channel->await_team();
}

void on_thread_end(ompt_data_t*) noexcept {
  set_thread_may_ask(false);
  record([](Channel& channel, Ticks time) {
    channel.emit(
        {.time = time, .kind = RecordKind::thread_end, .endpoint = Endpoint::end, .sub = 0, .a = 0, .b = 0, .c = 0});
  });
}

}  // namespace tracer::ompt
