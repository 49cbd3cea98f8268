// SPDX-License-Identifier: BSD-3-Clause
// See mpi_messages.hpp.
//
// A message is looked at when both of its ends are over: when the calls that ended them have been left. A call tells
// its longest wait when all its messages have been looked at, which may be long after it was left: who receives a
// message says so when he has it.
#include "tracer/replay/mpi_messages.hpp"

#include <algorithm>

#include "tracer/replay/payload.hpp"

namespace tracer::report {

const char* name_of(MpiWait wait) noexcept {
  constexpr const char* names[] = {"late_sender",     "late_receiver",  "wait_at_barrier", "wait_at_nxn",
                                   "early_reduce",    "late_broadcast", "early_scan",      "wait_at_fence",
                                   "lock_contention", "late_post",      "early_wait"};
  static_assert(sizeof names / sizeof names[0] == mpi_waits);
  return names[static_cast<std::size_t>(wait)];
}

const char* text_of(MpiWait wait) noexcept {
  constexpr const char* texts[] = {"late sender",     "late receiver",  "wait at barrier", "wait at N x N",
                                   "early reduce",    "late broadcast", "early scan",      "wait at fence",
                                   "lock contention", "late post",      "early wait"};
  static_assert(sizeof texts / sizeof texts[0] == mpi_waits);
  return texts[static_cast<std::size_t>(wait)];
}

void tell_wait(MpiSink& sink, MpiWait kind, const MpiCall& mine, const MpiCall& other) {
  const std::uint64_t until = std::min(other.enter, mine.leave);
  if (until <= mine.enter || mine.rank == other.rank) return;
  sink.waited({kind, mine.rank, other.rank, mine.region, other.region, mine.enter, until - mine.enter});
}

const Frame* mpi_call(const Replay& replay, LocationRef location) {
  const auto& stack = replay.location(location).current->stack;
  if (stack.empty() || replay.classes()[stack.back().region].construct != Directive::mpi) return nullptr;
  return &stack.back();
}

std::size_t MpiMessages::KeyHash::operator()(const Key& key) const noexcept {
  std::size_t hash = key.comm;
  for (const std::uint32_t part : {key.sender, key.receiver, key.tag}) hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

MpiMessages::MpiMessages(const Definitions& definitions, const Replay& replay, MpiSink& sink)
    : replay_{replay}, sink_{sink}, world_{definitions}, open_(definitions.locations.size()) {}

std::uint32_t MpiMessages::open_call(LocationRef location) const {
  return open_[location].empty() ? none : open_[location].back();
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
      if (const auto found = sends_.find(key); found != sends_.end()) {
        attach(location, found->second, send, event.time);
        sends_.erase(found);
      }
      return;
    case EventType::mpi_irecv_request:
      if (const Frame* call = mpi_call(replay_, location)) posts_[key] = {call->region, call->enter};
      return;
    case EventType::mpi_request_cancelled:
      posts_.erase(key);
      if (const auto found = sends_.find(key); found != sends_.end()) {
        cancel(found->second);
        sends_.erase(found);
      }
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
  end.region = call != nullptr ? call->region : undefined_ref;
  end.time = event.time;
  end.start = call != nullptr ? call->enter : event.time;
  if (side == send) {
    sink_.sent(me, other, end.region, event.a);
  } else {
    sink_.received(me, end.region, event.a);
    if (const auto post = posts_.find({me, request}); request != 0 && post != posts_.end()) {
      end.region = post->second.region;
      end.start = post->second.start;
      posts_.erase(post);
    }
  }
  const bool is_known = other != undefined_ref && world_.is_known(other);
  const Key key{event.ref, side == send ? me : other, side == send ? other : me,
                static_cast<std::uint32_t>(event.b >> 32)};
  const std::uint32_t slot = is_known ? slot_for(key, side) : none;
  if (slot == none) {
    ++unmatched_;
    return;
  }
  MpiMessage& message = slots_[slot].message;
  (side == send ? message.send : message.receive) = end;
  if (side == send || message.bytes == 0) message.bytes = event.a;
  sink_.end(message, side == send);
  if (event.type == EventType::mpi_isend)
    sends_[{me, request}] = slot;
  else
    attach(location, slot, side, event.time);
}

/// The oldest message that lacks this end, or a new one. none: there are too many.
std::uint32_t MpiMessages::slot_for(const Key& key, Side side) {
  if (!given_up_.empty() && given_up_.contains(key)) return none;
  Queue& queue = queues_[key];
  if (queue.first != none && queue.side != side) {
    const std::uint32_t slot = queue.first;
    queue.first = slots_[slot].next;
    if (queue.first == none) queues_.erase(key);
    return slot;
  }
  std::uint32_t slot = static_cast<std::uint32_t>(slots_.size());
  if (!free_slots_.empty()) {
    slot = free_slots_.back();
    free_slots_.pop_back();
    slots_[slot] = {};
  } else if (slot == most) {
    give_up(key);
    return none;
  } else {
    slots_.emplace_back();
  }
  slots_[slot].key = key;
  slots_[slot].message.comm = key.comm;
  slots_[slot].message.tag = key.tag;
  slots_[slot].message.number = ++numbers_;
  if (queue.first == none)
    queue.first = slot;
  else
    slots_[queue.last].next = slot;
  queue.last = slot;
  queue.side = side;
  return slot;
}

/// The end is over in the call that is open now.
void MpiMessages::attach(LocationRef location, std::uint32_t slot, Side side, std::uint64_t time) {
  const std::uint32_t call = open_call(location);
  if (call == none) return over(slot, side, undefined_ref, time, time);
  slots_[slot].call[side] = call;
  calls_[call].ends.push_back(slot * 2 + side);
  ++calls_[call].pending;
}

void MpiMessages::over(std::uint32_t slot, Side side, RegionRef region, std::uint64_t from, std::uint64_t to) {
  MpiEnd& end = side == send ? slots_[slot].message.send : slots_[slot].message.receive;
  end.wait_region = region;
  end.wait_from = from;
  end.wait_to = to;
  if (--slots_[slot].missing == 0) look_at(slot);
}

void MpiMessages::look_at(std::uint32_t slot) {
  MpiMessage& message = slots_[slot].message;
  const MpiEnd &sender = message.send, &receiver = message.receive;
  const std::uint64_t until = std::min(sender.start, receiver.wait_to);
  if (until > receiver.wait_from) message.late_sender = until - receiver.wait_from;
  // A send that is over before anybody asks for the message was kept by MPI: it did not wait.
  if (receiver.start > sender.wait_from && receiver.start <= sender.wait_to)
    message.late_receiver = receiver.start - sender.wait_from;
  if (receiver.time < sender.time) ++reversed_;
  ++matched_;
  sink_.message(message);
  const std::uint32_t calls[2] = {slots_[slot].call[send], slots_[slot].call[receive]};
  consider(calls[receive], MpiWait::late_sender, message.late_sender, receiver, sender);
  consider(calls[send], MpiWait::late_receiver, message.late_receiver, sender, receiver);
  free_slots_.push_back(slot);
  for (const std::uint32_t call : calls) {
    if (call == none) continue;
    --calls_[call].pending;
    tell_if_complete(call);
  }
}

/// Waits of one call all begin with it: the longest one has the others in it. The same time of a sender and of a
/// receiver (MPI_Sendrecv with one who comes late) is the sender's.
void MpiMessages::consider(std::uint32_t call, MpiWait kind, std::uint64_t ns, const MpiEnd& mine,
                           const MpiEnd& other) {
  if (call == none) return;
  MpiWaited& waited = calls_[call].waited;
  if (ns < waited.ns || (ns == waited.ns && kind != MpiWait::late_sender)) return;
  waited = {kind, mine.rank, other.rank, mine.wait_region, other.region, mine.wait_from, ns};
}

void MpiMessages::tell_if_complete(std::uint32_t call) {
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
  Call& of = calls_[call];
  of.region = frame.region;
  of.enter = frame.enter;
  of.open = true;
  of.waited = {};
  open_[location].push_back(call);
}

void MpiMessages::leave(LocationRef location, Task&, const Frame& frame, std::uint64_t time) {
  if (replay_.classes()[frame.region].construct != Directive::mpi || open_[location].empty()) return;
  const std::uint32_t call = open_[location].back();
  open_[location].pop_back();
  std::vector<std::uint32_t> ends = std::move(calls_[call].ends);
  const RegionRef region = calls_[call].region;
  const std::uint64_t from = calls_[call].enter;
  for (const std::uint32_t end : ends) over(end / 2, static_cast<Side>(end % 2), region, from, time);
  ends.clear();
  calls_[call].ends = std::move(ends);  // its memory is used again
  calls_[call].open = false;
  tell_if_complete(call);
}

/// A send that was taken back is in nobody's way.
void MpiMessages::cancel(std::uint32_t slot) {
  const auto found = queues_.find(slots_[slot].key);
  if (found == queues_.end()) return;
  Queue& queue = found->second;
  std::uint32_t before = none;
  for (std::uint32_t at = queue.first; at != none; before = at, at = slots_[at].next) {
    if (at != slot) continue;
    (before == none ? queue.first : slots_[before].next) = slots_[slot].next;
    if (queue.last == slot) queue.last = before;
    if (queue.first == none) queues_.erase(found);
    free_slots_.push_back(slot);
    return;
  }
}

/// One that is missing would pair all that follow wrongly.
void MpiMessages::give_up(const Key& key) {
  ++unmatched_;
  given_up_.insert(key);
  if (const auto found = queues_.find(key); found != queues_.end() && found->second.first == none) queues_.erase(found);
}

void MpiMessages::finished(std::uint64_t) {
  for (const auto& [key, queue] : queues_)
    for (std::uint32_t at = queue.first; at != none; at = slots_[at].next) {
      ++unmatched_;
      if (queue.side != send) continue;
      const MpiEnd& end = slots_[at].message.send;
      if (unheard_++ == 0 || end.time < first_unheard_.time) first_unheard_ = end;
    }
  for (Call& call : calls_) {
    if (call.waited.ns != 0 && call.pending != 0) sink_.waited(call.waited);
  }
}

}  // namespace tracer::report
