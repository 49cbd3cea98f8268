// SPDX-License-Identifier: BSD-3-Clause
// The wall between front ends and the tool: the table of include/tracer/front_end.h.
#include "tracer/front_end.h"

#include <cstddef>
#include <exception>

#include "tracer/base/clock.hpp"
#include "tracer/base/config.hpp"
#include "tracer/base/text.hpp"
#include "tracer/ompt/handlers.hpp"
#include "tracer/ompt/registration.hpp"
#include "tracer/ompt/seen_code.hpp"
#include "tracer/processor.hpp"
#include "tracer/session/channel.hpp"
#include "tracer/session/clock_domain.hpp"
#include "tracer/session/fork.hpp"
#include "tracer/session/session.hpp"
#include "tracer/tool.hpp"
#include "tracer/undisturbed.hpp"

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

// The usual way needs no stack, as with the handlers (tracer/ompt/emit.hpp).
void emit(std::uint32_t word, std::uint32_t a, std::uint64_t b, std::uint64_t c) noexcept {
  Channel* channel = detail::counter_channel;
  if (channel == nullptr) [[unlikely]]
    return emit_slowly(word, a, b, c);
  channel->emit(record_of(now(detail::counter_kind), word, a, b, c));
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

void see_place(std::uint64_t place) noexcept {
  ompt::see(reinterpret_cast<const void*>(place));
}

std::uint64_t new_id() noexcept {
  Channel* channel = this_channel();
  return channel != nullptr ? make_id(channel->id(), channel->next_counter()) : no_id;
}

std::ptrdiff_t lane() noexcept {
  static_assert(Channel::begins_as_lane());
  return reinterpret_cast<const char*>(&detail::counter_channel) - thread_pointer();
}

std::uint64_t clock_now() noexcept {
  return now();
}

/// A forked child that names something is about to record.
Session* session_to_tell() noexcept {
  if (Forks::is_undecided()) {
    const Undisturbed undisturbed;
    Forks::make_session();
    Forks::leave_first_channel();
  }
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
  const Undisturbed undisturbed;
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
  return session != nullptr && query_clocks(*session, rank, {clocks, size}) ? 1 : 0;
} catch (...) {  // no memory: the others wait in vain, for two seconds
  return 0;
}

void save() noexcept {
  const KeepErrno keep;
  const Undisturbed undisturbed;
  tool::save();
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
    .see_place = &see_place,
    .new_id = &new_id,
    .lane = &lane,
    .records_chunks = &records_chunks,
    .save = &save,
};

}  // namespace
}  // namespace tracer

extern "C" [[gnu::visibility("default")]] const tracer_front_end* tracer_connect(std::uint32_t version) try {
  if (version == 0 || version > TRACER_FRONT_END_VERSION) return nullptr;
  const tracer::KeepErrno keep;
  const tracer::Undisturbed undisturbed;
  return tracer::tool::connect() ? &tracer::table : nullptr;
} catch (const std::exception& exception) {
  tracer::tool::report_failure("start", exception.what());
  return nullptr;
} catch (...) {
  tracer::tool::report_failure("start", "unknown exception");
  return nullptr;
}
