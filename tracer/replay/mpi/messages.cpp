// SPDX-License-Identifier: BSD-3-Clause
// See messages.hpp.
//
// A message is looked at when both of its ends are over: when the calls that ended them have been left. A call tells
// its longest wait when all its messages have been looked at, which may be long after it was left: who receives a
// message says so when he has it.
#include "tracer/replay/mpi/messages.hpp"

#include <algorithm>

#include "tracer/replay/mpi/payload.hpp"

namespace tracer::report {

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
    : replay_{replay},
      sink_{sink},
      world_{definitions},
      open_(definitions.locations.size()),
      order_{world_.ranks()},
      probed_(definitions.locations.size()),
      found_(definitions.locations.size()) {
  for (const Region& region : definitions.regions) {
    const bool is_mpi = region.paradigm == Paradigm::mpi;
    probes_.push_back(is_mpi && (region.canonical == "MPI_Mprobe" || region.canonical == "MPI_Improbe"));
    always_finds_.push_back(is_mpi && region.canonical == "MPI_Mprobe");
    receives_found_.push_back(
        is_mpi && (region.canonical.starts_with("MPI_Mrecv") || region.canonical.starts_with("MPI_Imrecv")));
  }
}

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
      if (const Frame* call = mpi_call(replay_, location); key.rank != undefined_ref && call == nullptr) {
        posts_[key] = {undefined_ref, event.time, order_.post(key.rank, event.time)};  // before a part
      } else if (key.rank != undefined_ref) {
        Post& post = posts_[key] = {call->region, call->enter, {}};
        const bool is_found = receives_found_[call->region];
        if (!is_found || !take_found(location, post.at))
          post.at = order_.post(key.rank, is_found && probed_[location] != 0 ? probed_[location] : call->enter);
      }
      return;
    case EventType::mpi_request_cancelled:
      if (const auto post = posts_.find(key); post != posts_.end()) {
        order_.close(key.rank, post->second.at);
        posts_.erase(post);
        pair_ready(key.rank);
      }
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
  PostedAt at;
  end.region = call != nullptr ? call->region : undefined_ref;
  end.time = event.time;
  end.start = call != nullptr ? call->enter : event.time;
  if (side == send) {
    sink_.sent(me, other, end.region, event.a);
  } else {
    sink_.received(me, end.region, event.a);
    at = posted(location, me, request, end);
  }
  const bool is_known = other != undefined_ref && world_.is_known(other);
  const Key key{event.ref, side == send ? me : other, side == send ? other : me,
                static_cast<std::uint32_t>(event.b >> 32)};
  const bool is_held = is_known && side == receive && order_.must_be_held(me, at);
  const std::uint32_t slot = !is_known ? none : is_held ? new_slot(key) : slot_for(key, side);
  if (slot == none) {
    ++unmatched_;
    return side == receive ? pair_ready(me) : void();
  }
  MpiMessage& message = slots_[slot].message;
  (side == send ? message.send : message.receive) = end;
  slots_[slot].is_there[side] = true;
  if (side == send || message.bytes == 0) message.bytes = event.a;
  if (!is_held) sink_.end(message, side == send);
  if (event.type == EventType::mpi_isend)
    sends_[{me, request}] = slot;
  else
    attach(location, slot, side, event.time);
  if (side == send) return;
  if (is_held) order_.hold(me, at, slot);
  pair_ready(me);
}

/// Where the receive was posted: in this call, or in one that left a request.
PostedAt MpiMessages::posted(LocationRef location, std::uint32_t me, std::uint64_t request, MpiEnd& end) {
  const auto post = request != 0 ? posts_.find({me, request}) : posts_.end();
  if (post == posts_.end()) {
    const bool is_found = end.region < receives_found_.size() && receives_found_[end.region];
    PostedAt at;
    if (is_found && take_found(location, at)) {
      order_.close(me, at);
      return at;
    }
    return order_.post_blocking(me, is_found && probed_[location] != 0 ? probed_[location] : end.start);
  }
  if (post->second.region != undefined_ref) {
    end.region = post->second.region;
    end.start = post->second.start;
  }
  const PostedAt at = post->second.at;
  posts_.erase(post);
  order_.close(me, at);
  return at;
}

/// The oldest message that MPI_Mprobe has found there.
bool MpiMessages::take_found(LocationRef location, PostedAt& at) {
  if (found_[location].empty()) return false;
  at = found_[location].front();
  found_[location].pop_front();
  return true;
}

/// none: there are too many.
std::uint32_t MpiMessages::new_slot(const Key& key) {
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
  return slot;
}

void MpiMessages::free_slot(std::uint32_t slot) {
  slots_[slot].is_there[send] = slots_[slot].is_there[receive] = false;
  free_slots_.push_back(slot);
}

/// The oldest message that lacks this end, which lacks it no longer; none: there is none.
std::uint32_t MpiMessages::oldest(const Key& key, Side side) {
  const auto found = queues_.find(key);
  if (found == queues_.end() || found->second.first == none || found->second.side == side) return none;
  const std::uint32_t slot = found->second.first;
  found->second.first = slots_[slot].next;
  if (found->second.first == none) queues_.erase(found);
  return slot;
}

/// It waits for its other end.
void MpiMessages::enqueue(std::uint32_t slot, Side side) {
  Queue& queue = queues_[slots_[slot].key];
  slots_[slot].message.number = ++numbers_;
  if (queue.first == none)
    queue.first = slot;
  else
    slots_[queue.last].next = slot;
  queue.last = slot;
  queue.side = side;
}

/// The oldest message that lacks this end, or a new one. none: there are too many.
std::uint32_t MpiMessages::slot_for(const Key& key, Side side) {
  if (!given_up_.empty() && given_up_.contains(key)) return none;
  if (const std::uint32_t slot = oldest(key, side); slot != none) return slot;
  const std::uint32_t slot = new_slot(key);
  if (slot != none) enqueue(slot, side);
  return slot;
}

void MpiMessages::pair_ready(std::uint32_t rank) {
  std::uint32_t slot = none;
  while (order_.ready(rank, slot)) pair(slot);
}

/// It is the turn of a receive that was held back.
void MpiMessages::pair(std::uint32_t received) {
  if (!given_up_.empty() && given_up_.contains(slots_[received].key)) {
    ++unmatched_;
    return;
  }
  if (const std::uint32_t sent = oldest(slots_[received].key, receive); sent != none) return join(sent, received);
  enqueue(received, receive);
  sink_.end(slots_[received].message, false);
}

/// Two slots are the ends of one message.
void MpiMessages::join(std::uint32_t sent, std::uint32_t received) {
  Slot &to = slots_[sent], &from = slots_[received];
  to.message.receive = from.message.receive;
  if (to.message.bytes == 0) to.message.bytes = from.message.bytes;
  to.is_there[receive] = true;
  to.is_over[receive] = from.is_over[receive];
  const std::uint32_t call = to.call[receive] = from.call[receive];
  if (call != none && !from.is_over[receive])
    std::replace(calls_[call].ends.begin(), calls_[call].ends.end(), received * 2 + receive, sent * 2 + receive);
  free_slot(received);
  sink_.end(to.message, false);
  if (to.is_over[send] && to.is_over[receive]) look_at(sent);
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
  slots_[slot].is_over[side] = true;
  if (slots_[slot].is_over[send] && slots_[slot].is_over[receive]) look_at(slot);
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
  free_slot(slot);
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
  if (probes_[frame.region]) probed_[location] = frame.enter;
  Call& of = calls_[call];
  of.region = frame.region;
  of.enter = frame.enter;
  of.open = true;
  of.waited = {};
  open_[location].push_back(call);
}

void MpiMessages::leave(LocationRef location, Task&, const Frame& frame, std::uint64_t time) {
  if (replay_.classes()[frame.region].construct != Directive::mpi || open_[location].empty()) return;
  if (const std::uint32_t rank = world_.rank_of(location); always_finds_[frame.region] && rank != undefined_ref)
    found_[location].push_back(order_.post(rank, frame.enter));
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

/// A send that was taken back is in nobody's way. One that is received was sent, whatever became of its request.
void MpiMessages::cancel(std::uint32_t slot) {
  if (slots_[slot].is_there[receive]) {
    const std::uint64_t time = slots_[slot].message.send.time;
    return over(slot, send, undefined_ref, time, time);
  }
  const auto found = queues_.find(slots_[slot].key);
  if (found == queues_.end()) return;
  Queue& queue = found->second;
  std::uint32_t before = none;
  for (std::uint32_t at = queue.first; at != none; before = at, at = slots_[at].next) {
    if (at != slot) continue;
    (before == none ? queue.first : slots_[before].next) = slots_[slot].next;
    if (queue.last == slot) queue.last = before;
    if (queue.first == none) queues_.erase(found);
    free_slot(slot);
    return;
  }
}

/// One that is missing would pair all that follow wrongly.
void MpiMessages::give_up(const Key& key) {
  ++unmatched_;
  given_up_.insert(key);
  if (const auto found = queues_.find(key); found != queues_.end() && found->second.first == none) queues_.erase(found);
}

/// What the program never waited for, and what calls have got that never ended.
void MpiMessages::end_what_is_open() {
  order_.close_all();
  for (std::uint32_t rank = 0; rank < world_.ranks(); ++rank) pair_ready(rank);
  std::vector<std::uint32_t> open;
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot)
    if (slots_[slot].is_there[send] && slots_[slot].is_there[receive]) open.push_back(slot);
  std::sort(open.begin(), open.end(),
            [&](std::uint32_t a, std::uint32_t b) { return slots_[a].message.number < slots_[b].message.number; });
  for (const std::uint32_t slot : open)
    for (const Side side : {send, receive}) {
      if (slots_[slot].is_over[side]) continue;
      const MpiEnd& end = side == send ? slots_[slot].message.send : slots_[slot].message.receive;
      const std::uint64_t time = end.time;
      over(slot, side, undefined_ref, time, time);
    }
}

void MpiMessages::finished(std::uint64_t) {
  end_what_is_open();
  for (const auto& [key, queue] : queues_)
    for (std::uint32_t at = queue.first; at != none; at = slots_[at].next) {
      ++unmatched_;
      if (queue.side != send) continue;
      const MpiEnd& end = slots_[at].message.send;
      if (unheard_++ == 0 || end.time < first_unheard_.time) first_unheard_ = end;
    }
  for (Call& call : calls_) {
    if (call.waited.ns != 0 && (call.open || call.pending != 0)) sink_.waited(call.waited);
  }
}

}  // namespace tracer::report
