// SPDX-License-Identifier: BSD-3-Clause
// The wall between front ends and the tool: the table of include/tracer/front_end.h.
#include "tracer/front_end.h"

#include <exception>

#include "tracer/base/clock.hpp"
#include "tracer/base/config.hpp"
#include "tracer/base/text.hpp"
#include "tracer/ompt/handlers.hpp"
#include "tracer/ompt/registration.hpp"
#include "tracer/ompt/seen_code.hpp"
#include "tracer/ompt_values.hpp"
#include "tracer/session/channel.hpp"
#include "tracer/session/clock_domain.hpp"
#include "tracer/session/fork.hpp"
#include "tracer/session/session.hpp"
#include "tracer/tool.hpp"

namespace tracer {

[[gnu::always_inline]] static inline RecordWords record_of(Ticks time, std::uint32_t word, std::uint32_t a,
                                                           std::uint64_t b, std::uint64_t c) noexcept {
  return {time, word | std::uint64_t{a} << 32, b, c};
}
/// Word by word from there to here, so that few registers are needed. Channel::emit() finds it.
[[gnu::always_inline]] static inline void copy_slot(Record& to, const tracer_more& more) noexcept {
  copy_slot(to, record_of(more.time, TRACER_WORD(RecordKind::more, Endpoint::none, more.sub), more.a, more.b, more.c));
}

namespace {

[[gnu::noinline, gnu::cold]] void emit_slowly(std::uint32_t word, std::uint32_t a, std::uint64_t b,
                                              std::uint64_t c) noexcept {
  if (Channel* channel = this_channel()) channel->emit(record_of(now(), word, a, b, c));
}
[[gnu::noinline, gnu::cold]] void emit_slowly_at(std::uint64_t time, std::uint32_t word, std::uint32_t a,
                                                 std::uint64_t b, std::uint64_t c) noexcept {
  if (Channel* channel = this_channel()) channel->emit(record_of(time, word, a, b, c));
}
[[gnu::noinline, gnu::cold]] void emit_more_slowly(std::uint64_t time, std::uint32_t word, std::uint32_t a,
                                                   std::uint64_t b, std::uint64_t c, const tracer_more* more) noexcept {
  if (Channel* channel = this_channel()) channel->emit(record_of(time != 0 ? time : now(), word, a, b, c), *more);
}

[[gnu::noinline]] void emit_place_in_library(std::uint32_t word, std::uint32_t a, std::uint64_t b,
                                             std::uint64_t c) noexcept {
  ompt::see(reinterpret_cast<const void*>(c));
  if (Channel* channel = this_channel()) channel->emit(record_of(now(), word, a, b, c));
}
/// The second record has a time of its own: the first may have waited for room.
[[gnu::noinline]] std::uint64_t emit_pair_slowly(std::uint32_t first, std::uint32_t second, std::uint64_t b,
                                                 std::uint64_t c) noexcept {
  ompt::see(reinterpret_cast<const void*>(c));
  std::uint64_t time = now();
  Channel* channel = this_channel();
  if (channel == nullptr) return time;
  if (channel->try_emit(record_of(time, first, 0, b, c), record_of(time, second, 0, b, c))) return time;
  channel->emit(record_of(time, first, 0, b, c));
  time = now();
  channel = this_channel();
  if (channel != nullptr) channel->emit(record_of(time, second, 0, b, c));
  return time;
}

// Records with a new id. The usual ways are the same with the clock known.
[[gnu::always_inline]] inline std::uint64_t new_region(Channel& channel, Ticks time, std::uint16_t sub,
                                                       std::uint32_t threads, std::uint64_t place) noexcept {
  const std::uint64_t id = make_id(channel.id(), channel.next_counter());
  channel.emit(record_of(time, TRACER_WORD(RecordKind::parallel_begin, Endpoint::begin, sub), threads, id, place));
  return id;
}
[[gnu::always_inline]] inline std::uint64_t new_member(Channel& channel, Ticks time, std::uint16_t sub,
                                                       std::uint32_t team, std::uint64_t region) noexcept {
  const std::uint64_t id = make_id(channel.id(), channel.next_counter());
  channel.emit(record_of(time, TRACER_WORD(RecordKind::implicit_task, Endpoint::begin, sub), team, region, id));
  return id;
}
[[gnu::always_inline]] inline std::uint64_t new_task(Channel& channel, Ticks time, std::uint16_t sub, int depends,
                                                     std::uint64_t creator, std::uint64_t place) noexcept {
  const std::uint64_t counter = channel.next_counter();
  const Endpoint endpoint = depends != 0 ? Endpoint::begin_end : Endpoint::none;
  channel.emit(record_of(time, TRACER_WORD(RecordKind::task_create, endpoint, sub), static_cast<std::uint32_t>(counter),
                         creator, place));
  const std::uint64_t id = make_id(channel.id(), counter);
  return (sub & pack_task_flags(ompt_task_untied)) != 0 ? id | untied_bit : id;
}
[[gnu::noinline]] std::uint64_t emit_region_slowly(std::uint16_t sub, std::uint32_t threads,
                                                   std::uint64_t place) noexcept {
  ompt::see(reinterpret_cast<const void*>(place));
  Channel* channel = this_channel();
  return channel != nullptr ? new_region(*channel, now(), sub, threads, place) : no_id;
}
[[gnu::noinline]] std::uint64_t emit_member_slowly(std::uint16_t sub, std::uint32_t team,
                                                   std::uint64_t region) noexcept {
  Channel* channel = this_channel();
  return channel != nullptr ? new_member(*channel, now(), sub, team, region) : no_id;
}
[[gnu::noinline]] std::uint64_t emit_task_slowly(std::uint16_t sub, int depends, std::uint64_t creator,
                                                 std::uint64_t place) noexcept {
  ompt::see(reinterpret_cast<const void*>(place));
  Channel* channel = this_channel();
  return channel != nullptr ? new_task(*channel, now(), sub, depends, creator, place) : no_id;
}

/// The records of emit_part_end.
struct PartEnd {
  std::uint16_t number, sub;
  std::uint64_t task, region, place;
  static constexpr std::uint32_t wait_word = TRACER_WORD(RecordKind::sync_region_wait, Endpoint::end,
                                                         sync_kind::barrier_implicit_parallel),
                                 barrier_word = TRACER_WORD(RecordKind::sync_region, Endpoint::end,
                                                            sync_kind::barrier_implicit_parallel);

  [[gnu::always_inline]] RecordWords wait(Ticks time) const noexcept {
    return record_of(time, wait_word, 0, task, place);
  }
  [[gnu::always_inline]] RecordWords barrier(Ticks time) const noexcept {
    return record_of(time, barrier_word, 0, task, place);
  }
  [[gnu::always_inline]] RecordWords member(Ticks time) const noexcept {
    return record_of(time, TRACER_WORD(RecordKind::implicit_task, Endpoint::end, number), 0, 0, task);
  }
  [[gnu::always_inline]] RecordWords whole(Ticks time) const noexcept {
    return record_of(time, TRACER_WORD(RecordKind::parallel_end, Endpoint::end, sub), 0, region, place);
  }
};

[[gnu::noinline]] void emit_part_end_slowly(const PartEnd& end) noexcept {
  const Ticks time = emit_pair_slowly(PartEnd::wait_word, PartEnd::barrier_word, end.task, end.place);
  if (Channel* channel = this_channel()) channel->emit(end.member(time));
  if (end.region == no_id) return;
  if (Channel* channel = this_channel()) channel->emit(end.whole(time));
}

void emit_part_end(std::uint16_t number, std::uint16_t sub, std::uint64_t task, std::uint64_t region,
                   std::uint64_t place) noexcept {
  const PartEnd end{number, sub, task, region, place};
  Channel* channel = detail::counter_channel;
  if (channel != nullptr && (place == 0 || ProgramCode::contains(place))) [[likely]] {
    const Ticks time = now(detail::counter_kind);
    if (region == no_id) {
      if (channel->try_emit(end.wait(time), end.barrier(time), end.member(time))) [[likely]]
        return;
    } else if (channel->try_emit(end.wait(time), end.barrier(time), end.member(time), end.whole(time))) [[likely]] {
      return;
    }
  }
  emit_part_end_slowly(end);
}

std::uint64_t emit_region(std::uint16_t sub, std::uint32_t threads, std::uint64_t place) noexcept {
  Channel* channel = detail::counter_channel;
  if (channel == nullptr || !ProgramCode::contains(place)) [[unlikely]]
    return emit_region_slowly(sub, threads, place);
  return new_region(*channel, now(detail::counter_kind), sub, threads, place);
}

std::uint64_t emit_member(std::uint16_t sub, std::uint32_t team, std::uint64_t region) noexcept {
  Channel* channel = detail::counter_channel;
  if (channel == nullptr) [[unlikely]]
    return emit_member_slowly(sub, team, region);
  return new_member(*channel, now(detail::counter_kind), sub, team, region);
}

std::uint64_t emit_task(std::uint16_t sub, int depends, std::uint64_t creator, std::uint64_t place) noexcept {
  Channel* channel = detail::counter_channel;
  if (channel == nullptr || !ProgramCode::contains(place)) [[unlikely]]
    return emit_task_slowly(sub, depends, creator, place);
  return new_task(*channel, now(detail::counter_kind), sub, depends, creator, place);
}

// The usual way needs no stack, as with the handlers (tracer/ompt/emit.hpp).
void emit(std::uint32_t word, std::uint32_t a, std::uint64_t b, std::uint64_t c) noexcept {
  Channel* channel = detail::counter_channel;
  if (channel == nullptr) [[unlikely]]
    return emit_slowly(word, a, b, c);
  channel->emit(record_of(now(detail::counter_kind), word, a, b, c));
}

void emit_place(std::uint32_t word, std::uint32_t a, std::uint64_t b, std::uint64_t c) noexcept {
  Channel* channel = detail::counter_channel;
  if (channel == nullptr || !ProgramCode::contains(c)) [[unlikely]]
    return emit_place_in_library(word, a, b, c);
  channel->emit(record_of(now(detail::counter_kind), word, a, b, c));
}

std::uint64_t emit_pair(std::uint32_t first, std::uint32_t second, std::uint64_t b, std::uint64_t c) noexcept {
  Channel* channel = detail::counter_channel;
  if (channel == nullptr || (c != 0 && !ProgramCode::contains(c))) [[unlikely]]
    return emit_pair_slowly(first, second, b, c);
  const std::uint64_t time = now(detail::counter_kind);
  if (channel->try_emit(record_of(time, first, 0, b, c), record_of(time, second, 0, b, c))) [[likely]]
    return time;
  return emit_pair_slowly(first, second, b, c);
}

void emit_at(std::uint64_t time, std::uint32_t word, std::uint32_t a, std::uint64_t b, std::uint64_t c) noexcept {
  Channel* channel = detail::counter_channel;
  if (channel == nullptr) [[unlikely]]
    return emit_slowly_at(time, word, a, b, c);
  channel->emit(record_of(time, word, a, b, c));
}

void emit_more(std::uint64_t time, std::uint32_t word, std::uint32_t a, std::uint64_t b, std::uint64_t c,
               const tracer_more* more) noexcept {
  Channel* channel = detail::counter_channel;
  if (channel == nullptr) [[unlikely]]
    return emit_more_slowly(time, word, a, b, c, more);
  channel->emit(record_of(time != 0 ? time : now(detail::counter_kind), word, a, b, c), *more);
}

std::uint64_t clock_now() noexcept {
  return now();
}

/// A forked child that names something is about to record.
Session* session_to_tell() noexcept {
  if (Forks::is_undecided()) Forks::make_session();
  Session* session = Session::current();
  return session != nullptr && session->state() != RecordingState::finished ? session : nullptr;
}

std::uint32_t intern(const char* text, std::size_t length) noexcept {
  Session* session = session_to_tell();
  return session != nullptr ? session->intern({text, length}) : 0;
}

void message(const char* line) noexcept {
  const KeepErrno keep;
  if (Session* session = session_to_tell()) session->message(line);
}

void count(const char* name, std::uint64_t amount) noexcept {
  const KeepErrno keep;
  if (Session* session = session_to_tell()) session->count(name, amount);
}

void fact(const char* name, const char* value) noexcept try {
  const KeepErrno keep;
  if (Session* session = session_to_tell()) session->journal().fact(name, value);
} catch (...) {  // no memory: the trace lacks it
}

int at_end(void (*function)(void*), void* data) noexcept {
  return tool::at_end(function, data) ? 1 : 0;
}

int recording() noexcept {
  const Session* session = Session::current();
  return (session != nullptr ? session->recording() : Forks::is_undecided()) ? 1 : 0;
}

const char* directory() noexcept {
  const Session* session = Session::current();
  return session != nullptr ? session->directory().c_str() : "";
}

int clocks_of_launch(std::uint32_t rank, std::uint32_t size, std::uint64_t* clocks) noexcept try {
  const KeepErrno keep;
  const Session* session = Session::current();
  return session != nullptr && ask_clocks(*session, rank, {clocks, size}) ? 1 : 0;
} catch (...) {  // no memory: the others wait in vain, for two seconds
  return 0;
}

int records_polls() noexcept {
  const Session* session = Session::current();
  return session == nullptr || (session->config().record & record_polls) != 0 ? 1 : 0;
}

int records_chunks() noexcept {
  return (tool::recorded() & record_chunks) != 0 ? 1 : 0;
}

ompt_callback_t ompt_handler(int event) noexcept {
  return ompt::handler_of(event, tool::recorded());
}

constexpr tracer_front_end table{
    .version = TRACER_FRONT_END_VERSION,
    .size = sizeof(tracer_front_end),
    .emit = &emit,
    .emit_more = &emit_more,
    .emit_at = &emit_at,
    .now = &clock_now,
    .intern = &intern,
    .message = &message,
    .count = &count,
    .fact = &fact,
    .at_end = &at_end,
    .recording = &recording,
    .directory = &directory,
    .clocks_of_launch = &clocks_of_launch,
    .records_polls = &records_polls,
    .ompt_handler = &ompt_handler,
    .ompt_thread_begin = &ompt::begin_thread,
    .emit_place = &emit_place,
    .emit_pair = &emit_pair,
    .emit_region = &emit_region,
    .emit_member = &emit_member,
    .emit_task = &emit_task,
    .emit_part_end = &emit_part_end,
    .records_chunks = &records_chunks,
};

}  // namespace
}  // namespace tracer

extern "C" [[gnu::visibility("default")]] const tracer_front_end* tracer_connect(std::uint32_t version) try {
  if (version == 0 || version > TRACER_FRONT_END_VERSION) return nullptr;
  const tracer::KeepErrno keep;
  return tracer::tool::connect() ? &tracer::table : nullptr;
} catch (const std::exception& exception) {
  tracer::tool::report_failure("start", exception.what());
  return nullptr;
} catch (...) {
  tracer::tool::report_failure("start", "unknown exception");
  return nullptr;
}
