// SPDX-License-Identifier: BSD-3-Clause
// See messages.hpp.
//
// A message is looked at when both of its ends are over: when the calls that ended them have been left. A call reports
// its longest wait when all its messages have been looked at, which may be long after it was left: the receiver of a
// message reports that when it has arrived.
#include "tracer/replay/mpi/messages.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "tracer/replay/mpi/payload.hpp"

namespace tracer::report {

void report_wait(MpiSink& sink, MpiWait kind, const MpiCall& mine, const MpiCall& other) {
  const std::uint64_t until = std::min(other.enter, mine.leave);
  if (until <= mine.enter || mine.rank == other.rank) return;
  sink.waited({kind, mine.rank, other.rank, mine.region, other.region, mine.enter, until - mine.enter});
}

bool is_blocking_probe(const Region& region) {
  return region.paradigm == Paradigm::mpi && (region.canonical == "MPI_Probe" || region.canonical == "MPI_Mprobe");
}

const Frame* mpi_call(const Replay& replay, LocationRef location) {
  const auto& stack = replay.location(location).current->stack;
  if (stack.empty() || replay.classes()[stack.back().region].construct != Directive::mpi) return nullptr;
  return &stack.back();
}

MpiMessages::MpiMessages(const Definitions& definitions, const Replay& replay, MpiSink& sink)
    : replay_{replay},
      sink_{sink},
      world_{definitions},
      open_{world_.ranks()},
      open_calls_(definitions.locations.size()),
      order_{world_.ranks(), open_.most() / 4},  // each held one has two slots, and others are open
      probed_(definitions.locations.size()),
      found_(definitions.locations.size()),
      probe_(definitions.locations.size()) {
  for (const Region& region : definitions.regions) {
    Finds& finds = finds_.emplace_back(Finds::nothing);
    if (is_blocking_probe(region)) finds = region.canonical == "MPI_Probe" ? Finds::probe : Finds::mprobe;
    if (region.paradigm != Paradigm::mpi) continue;
    if (region.canonical == "MPI_Improbe") finds = Finds::improbe;
    if (region.canonical.starts_with("MPI_Mrecv") || region.canonical.starts_with("MPI_Imrecv"))
      finds = Finds::receives_found;
  }
}

std::uint32_t MpiMessages::open_call(LocationRef location) const {
  return open_calls_[location].empty() ? none : open_calls_[location].back();
}

void MpiMessages::other_event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  const std::uint64_t request = payload_value(attributes);
  const RequestKey key{world_.rank_of(location), event.a};
  switch (event.type) {
    case EventType::mpi_send:
    case EventType::mpi_isend:
      return message(location, event, send, request);
    case EventType::mpi_recv:
    case EventType::mpi_irecv:
      return message(location, event, receive, request);
    case EventType::mpi_rma_put:
      return one_sided(location, event.a, 0);
    case EventType::mpi_rma_get:
      return one_sided(location, 0, event.a);
    case EventType::mpi_rma_atomic:
      return one_sided(location, event.a, request);
    case EventType::mpi_isend_complete:
      if (const std::uint32_t slot = take_begun(key); slot != none) attach(location, slot, send, event.time);
      return;
    case EventType::mpi_irecv_request:
      if (const Frame* call = mpi_call(replay_, location); key.rank != undefined_ref && call == nullptr) {
        posts_[key] = {undefined_ref, event.time, {order_.post(key.rank, event.time), {}}};  // before a part
      } else if (key.rank != undefined_ref) {
        posts_[key] = {call->region, call->enter, post(location, key.rank, call->region, call->enter, false)};
      }
      return;
    case EventType::mpi_request_cancelled:
      if (const auto post = posts_.find(key); post != posts_.end()) {
        order_.close(key.rank, post->second.posted.at);
        posts_.erase(post);
        pair_ready(key.rank);
      }
      if (const std::uint32_t slot = take_begun(key); slot != none) cancel(slot);
      return;
    default:
      return;
  }
}

void MpiMessages::one_sided(LocationRef location, std::uint64_t sent, std::uint64_t received) {
  const std::uint32_t me = world_.rank_of(location);
  const Frame* call = mpi_call(replay_, location);
  if (me != undefined_ref && call != nullptr) sink_.one_sided(me, call->region, sent, received);
}

void MpiMessages::message(LocationRef location, const Event& event, Side side, std::uint64_t request) {
  const std::uint32_t me = world_.rank_of(location);
  if (me == undefined_ref) return;
  const std::uint32_t other = world_.world_rank(event.ref, me, static_cast<std::uint32_t>(event.b));
  const Frame* call = mpi_call(replay_, location);
  MpiEnd end{.rank = me, .partner = other, .location = location};
  Posted receives;
  end.region = call != nullptr ? call->region : undefined_ref;
  end.time = event.time;
  end.start = call != nullptr ? call->enter : event.time;
  if (side == send) {
    sink_.sent(me, other, end.region, event.a);
  } else {
    sink_.received(me, end.region, event.a);
    receives = posted(location, me, request, end);
  }
  const bool is_known = other != undefined_ref && world_.is_known(other);
  const Key key{event.ref, side == send ? me : other, side == send ? other : me,
                static_cast<std::uint32_t>(event.b >> 32)};
  const bool is_held = is_known && side == receive && order_.must_be_held(me, receives.at);
  const std::uint32_t slot = is_known ? slot_for(key, side, is_held) : none;
  if (slot == none) {
    ++(is_known ? given_up_ : unmatched_);
    if (!is_known && other != undefined_ref) tell_lone(event, side, end);
    return side == receive ? pair_ready(me) : void();
  }
  MpiMessage& message = open_[slot].message;
  open_[slot].end(side) = end;
  if (side == receive) message.probe = receives.probe;
  open_[slot].is_there[side] = true;
  if (side == send || message.bytes == 0) message.bytes = event.a;
  if (!is_held) sink_.end(message, side == send);
  if (event.type == EventType::mpi_isend)
    sends_[{me, request}] = {slot, open_[slot].use};
  else
    attach(location, slot, side, event.time);
  if (side == send) return;
  if (is_held) order_.hold(me, receives.at, slot);
  pair_ready(me);
}

/// The oldest message that lacks this end, or a new one. none: its kind is given up.
std::uint32_t MpiMessages::slot_for(const Key& key, Side side, bool is_held) {
  if (open_.is_given_up(key)) return none;
  if (!is_held)
    if (const std::uint32_t slot = open_.take_oldest(key, side); slot != none) return slot;
  if (open_.is_full()) {
    const Key crowded = open_.most_crowded(key);
    for (const std::uint32_t slot : open_.give_up(crowded)) {
      ++given_up_;
      let_go(slot);
    }
    if (crowded == key) return none;
  }
  const std::uint32_t slot = open_.add(key);
  if (!is_held) open_.enqueue(slot, side);
  return slot;
}

/// The message is no longer under way: calls that have one of its ends do not wait to hear of it.
void MpiMessages::let_go(std::uint32_t slot) {
  std::uint32_t calls[2];
  for (const Side side : {send, receive}) {
    calls[side] = open_[slot].call[side];
    if (calls[side] != none && !open_[slot].is_over[side]) std::erase(calls_[calls[side]].ends, slot * 2 + side);
  }
  open_.remove(slot);
  for (const std::uint32_t call : calls) {
    if (call == none) continue;
    --calls_[call].pending;
    report_if_complete(call);
  }
}

/// The message whose send has that request, which is over; none: there is none, or it was given up.
std::uint32_t MpiMessages::take_begun(const RequestKey& key) {
  const auto found = sends_.find(key);
  if (found == sends_.end()) return none;
  const Begun begun = found->second;
  sends_.erase(found);
  return open_[begun.slot].use == begun.use ? begun.slot : none;
}

void MpiMessages::tell_lone(const Event& event, Side side, const MpiEnd& end) {
  MpiMessage message{.comm = event.ref,
                     .tag = static_cast<std::uint32_t>(event.b >> 32),
                     .bytes = event.a,
                     .number = open_.next_number(),
                     .send = {},
                     .receive = {}};
  (side == send ? message.send : message.receive) = end;
  sink_.lone_end(message, side == send);
}

/// A receive begins in this call. A message that MPI_Mprobe has found is the oldest of those; what MPI_Probe has found
/// the next receive gets.
MpiMessages::Posted MpiMessages::post(LocationRef location, std::uint32_t me, RegionRef region, std::uint64_t enter,
                                      bool blocks) {
  const bool is_found = finds(region) == Finds::receives_found;
  if (is_found && !found_[location].empty()) {
    const Posted first = found_[location].front();
    found_[location].pop_front();
    if (blocks) order_.close(me, first.at);
    return first;
  }
  const std::uint64_t time = is_found && probed_[location] != 0 ? probed_[location] : enter;
  const PostedAt at = blocks ? order_.post_blocking(me, time) : order_.post(me, time);
  return {at, is_found ? MpiProbe{} : std::exchange(probe_[location], {})};
}

/// Where the receive was posted: in this call, or in one that left a request.
MpiMessages::Posted MpiMessages::posted(LocationRef location, std::uint32_t me, std::uint64_t request, MpiEnd& end) {
  const auto begun = request != 0 ? posts_.find({me, request}) : posts_.end();
  if (begun == posts_.end()) return post(location, me, end.region, end.start, true);
  if (begun->second.region != undefined_ref) {
    end.region = begun->second.region;
    end.start = begun->second.start;
  }
  const Posted posted = begun->second.posted;
  posts_.erase(begun);
  order_.close(me, posted.at);
  return posted;
}

void MpiMessages::pair_ready(std::uint32_t rank) {
  std::uint32_t slot = none;
  while (order_.ready(rank, slot)) pair(slot);
}

/// It is the turn of a receive that was held back.
void MpiMessages::pair(std::uint32_t received) {
  if (open_.is_given_up(open_[received].key)) {
    ++given_up_;
    return let_go(received);
  }
  if (const std::uint32_t sent = open_.take_oldest(open_[received].key, receive); sent != none)
    return join(sent, received);
  open_.enqueue(received, receive);
  sink_.end(open_[received].message, false);
}

/// Two slots are the ends of one message.
void MpiMessages::join(std::uint32_t sent, std::uint32_t received) {
  Slot &to = open_[sent], &from = open_[received];
  to.message.receive = from.message.receive;
  to.message.probe = from.message.probe;
  if (to.message.bytes == 0) to.message.bytes = from.message.bytes;
  to.is_there[receive] = true;
  to.is_over[receive] = from.is_over[receive];
  const std::uint32_t call = to.call[receive] = from.call[receive];
  if (call != none && !from.is_over[receive])
    std::replace(calls_[call].ends.begin(), calls_[call].ends.end(), received * 2 + receive, sent * 2 + receive);
  open_.remove(received);
  sink_.end(to.message, false);
  if (to.is_over[send] && to.is_over[receive]) look_at(sent);
}

/// The end is over in the call that is open now.
void MpiMessages::attach(LocationRef location, std::uint32_t slot, Side side, std::uint64_t time) {
  const std::uint32_t call = open_call(location);
  if (call == none) return over(slot, side, undefined_ref, time, time);
  open_[slot].call[side] = call;
  calls_[call].ends.push_back(slot * 2 + side);
  ++calls_[call].pending;
}

void MpiMessages::over(std::uint32_t slot, Side side, RegionRef region, std::uint64_t from, std::uint64_t to) {
  MpiEnd& end = open_[slot].end(side);
  end.wait_region = region;
  end.wait_from = from;
  end.wait_to = to;
  open_[slot].is_over[side] = true;
  if (open_[slot].is_over[send] && open_[slot].is_over[receive]) look_at(slot);
}

void MpiMessages::look_at(std::uint32_t slot) {
  MpiMessage& message = open_[slot].message;
  const MpiEnd &sender = message.send, &receiver = message.receive;
  const std::uint64_t until = std::min(sender.start, receiver.wait_to);
  if (until > receiver.wait_from) message.late_sender = until - receiver.wait_from;
  // A send that is over before the receiver requests the message was buffered by MPI: it did not wait.
  if (receiver.start > sender.wait_from && receiver.start <= sender.wait_to)
    message.late_receiver = receiver.start - sender.wait_from;
  MpiProbe& probe = message.probe;
  if (probe.leave + mpi_clock_error < sender.start) probe = {};  // it has found another one
  const std::uint64_t found = std::min(sender.start, probe.leave);
  const std::uint64_t probed = found > probe.enter ? found - probe.enter : 0;
  consider(open_[slot].call[receive], MpiWait::late_sender, message.late_sender, receiver, sender);
  consider(open_[slot].call[send], MpiWait::late_receiver, message.late_receiver, sender, receiver);
  message.late_sender += probed;
  if (receiver.time < sender.time) ++reversed_;
  ++matched_;
  sink_.message(message);
  if (probed != 0)
    sink_.waited({MpiWait::late_sender, receiver.rank, sender.rank, probe.region, sender.region, probe.enter, probed});
  let_go(slot);
}

/// Waits of one call all begin with it: the longest one has the others in it.
void MpiMessages::consider(std::uint32_t call, MpiWait kind, std::uint64_t ns, const MpiEnd& mine,
                           const MpiEnd& other) {
  if (call == none || ns == 0) return;
  const auto weight = [](MpiWait of, std::uint64_t time) {
    const bool is_certain = of == MpiWait::late_sender;
    return std::tuple{is_certain ? time : certain_part(time), is_certain, time};
  };
  MpiWaited& waited = calls_[call].waited;
  if (waited.ns != 0 && weight(kind, ns) < weight(waited.kind, waited.ns)) return;
  waited = {kind, mine.rank, other.rank, mine.wait_region, other.region, mine.wait_from, ns};
}

void MpiMessages::report_if_complete(std::uint32_t call) {
  Call& of = calls_[call];
  if (of.open || of.pending != 0) return;
  if (of.waited.ns != 0) sink_.waited(of.waited);
  free_calls_.push_back(call);
}

void MpiMessages::enter(LocationRef location, Task&, const Frame& frame) {
  if (replay_.classes()[frame.region].construct != Directive::mpi || world_.ranks() == 0) return;
  std::uint32_t call = static_cast<std::uint32_t>(calls_.size());
  if (free_calls_.empty()) {
    calls_.emplace_back();
  } else {
    call = free_calls_.back();
    free_calls_.pop_back();
  }
  const Finds finding = finds(frame.region);
  if (finding == Finds::mprobe || finding == Finds::improbe) probed_[location] = frame.enter;
  Call& of = calls_[call];
  of.region = frame.region;
  of.enter = frame.enter;
  of.open = true;
  of.waited = {};
  open_calls_[location].push_back(call);
}

void MpiMessages::leave(LocationRef location, Task&, const Frame& frame, std::uint64_t time) {
  if (replay_.classes()[frame.region].construct != Directive::mpi || open_calls_[location].empty()) return;
  const std::uint32_t rank = world_.rank_of(location);
  const MpiProbe probe{frame.region, frame.enter, time};
  if (finds(frame.region) == Finds::mprobe && rank != undefined_ref)
    found_[location].push_back({order_.post(rank, frame.enter), probe});
  if (finds(frame.region) == Finds::probe) probe_[location] = probe;
  const std::uint32_t call = open_calls_[location].back();
  open_calls_[location].pop_back();
  std::vector<std::uint32_t> ends = std::move(calls_[call].ends);
  const RegionRef region = calls_[call].region;
  const std::uint64_t from = calls_[call].enter;
  for (const std::uint32_t end : ends) over(end / 2, static_cast<Side>(end % 2), region, from, time);
  ends.clear();
  calls_[call].ends = std::move(ends);  // its memory is used again
  calls_[call].open = false;
  report_if_complete(call);
}

/// A send that was taken back is in nobody's way. One that is received was sent, whatever became of its request.
void MpiMessages::cancel(std::uint32_t slot) {
  if (open_[slot].is_there[receive]) {
    const std::uint64_t time = open_[slot].message.send.time;
    return over(slot, send, undefined_ref, time, time);
  }
  open_.take_back(slot);
}

/// What the program never waited for, and what calls have got that never ended.
void MpiMessages::end_what_is_open() {
  order_.close_all();
  for (std::uint32_t rank = 0; rank < world_.ranks(); ++rank) pair_ready(rank);
  for (const std::uint32_t slot : open_.complete())
    for (const Side side : {send, receive}) {
      if (open_[slot].is_over[side]) continue;
      const MpiEnd& end = open_[slot].end(side);
      const std::uint64_t time = end.time;
      over(slot, side, undefined_ref, time, time);
    }
}

void MpiMessages::finished(std::uint64_t) {
  end_what_is_open();
  open_.for_each_incomplete([this](const Slot& slot, Side side) {
    ++unmatched_;
    if (side != send) return;
    const MpiEnd& end = slot.message.send;
    if (unheard_++ == 0 || end.time < first_unheard_.time) first_unheard_ = end;
  });
  for (Call& call : calls_) {
    if (call.waited.ns != 0 && (call.open || call.pending != 0)) sink_.waited(call.waited);
  }
}

}  // namespace tracer::report
