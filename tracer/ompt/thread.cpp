// SPDX-License-Identifier: BSD-3-Clause
// Handlers of native threads.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/ompt/context.hpp"
#include "tracer/ompt/emit.hpp"
#include "tracer/ompt/handlers.hpp"
#include "tracer/session/session.hpp"

namespace tracer::ompt {

// The thread's word names its channel, so that a debugger's view of the runtime (OMPD) can be
// joined with the trace.
// libomp 19 delivers it inside fork(), with its locks held: asking for the place would wait for ever. A forked child
// has no session then.
void on_thread_begin(ompt_thread_t thread_type, ompt_data_t* thread_data) noexcept {
  Channel* channel = this_channel();
  if (channel == nullptr) return;
  set_value(thread_data, make_id(channel->id(), channel->next_counter()));
  const auto get_place_num = context().entry_points.get_place_num;
  const bool may_ask = get_place_num != nullptr && Session::current() != nullptr;
  const int place = may_ask ? get_place_num() : -1;
  const int processor = sched_getcpu();
  channel->identify(static_cast<std::uint32_t>(thread_type), processor, place);
  channel->emit({.time = now(),
                 .kind = RecordKind::thread_begin,
                 .endpoint = Endpoint::begin,
                 .sub = sub_of(thread_type),
                 .a = static_cast<std::uint32_t>(processor + 1),
                 .b = static_cast<std::uint64_t>(syscall(SYS_gettid)),
                 .c = static_cast<std::uint64_t>(place + 1)});
}

void on_thread_end(ompt_data_t*) noexcept {
  record([](Channel& channel, Ticks time) {
    channel.emit(
        {.time = time, .kind = RecordKind::thread_end, .endpoint = Endpoint::end, .sub = 0, .a = 0, .b = 0, .c = 0});
  });
}

}  // namespace tracer::ompt
