// SPDX-License-Identifier: BSD-3-Clause
// Pauses of recording.
#include "tracer/translate/write/event_buffer.hpp"

#include <algorithm>
#include <utility>

namespace tracer::translate {

void EventBuffer::flush() {
  for (const EventAttribute& a : attributes_) {
    if (a.is_payload()) continue;
    usage_.attribute(a.attribute);
    if (a.attribute == text_) usage_.string(static_cast<std::uint32_t>(a.value));
  }
  events_.resize(used());
  if (!events_.empty()) {
    if (flushed_ == 0) first_ = events_.front().time;
    flushed_ += events_.size();
    writer_.take(events_, attributes_);
  }
  attributes_.clear();
  next_ = events_.data();
  make_room(std::max(events_.size(), smallest));
}

void EventBuffer::filled() {
  if (used() == batch) return flush();
  make_room(std::min(2 * used(), batch));
}

void EventBuffer::make_room(std::size_t events) {
  const std::size_t before = used();
  events_.resize(events);
  next_ = events_.data() + before;
  end_ = events_.data() + events;
}

void EventBuffer::add_unusual_region(Nanoseconds time, EventType type, RegionRef region) {
  if (paused_) return put_off({time, type, pending_, 0, region, 0, 0});
  put(time, type, 0, regions_.keep(region), 0, 0);
}

void EventBuffer::pause(Nanoseconds time) {
  if (paused_) return;
  told_ = count() > 0;  // a thread that comes later has nothing to interrupt
  if (told_) add(time, EventType::measurement_on_off, 0, 0);
  paused_ = true;
}

void EventBuffer::resume(Nanoseconds time) {
  if (!paused_) return;
  paused_ = false;
  if (told_) add(time, EventType::measurement_on_off, 0, 1);
  for (PutOff& late : std::exchange(put_off_, {})) {
    for (const EventAttribute& a : late.attributes) {
      attributes_.push_back(a);
      ++pending_;
    }
    const Event& e = late.event;
    if (e.type == EventType::enter || e.type == EventType::leave) {
      add_region(time, e.type, e.ref);
    } else {
      add(time, e.type, e.ref, e.a, e.b, e.sub);
    }
  }
}

void EventBuffer::note_mpi(EventType type, std::uint32_t comm) {
  switch (type) {
    case EventType::mpi_send:
    case EventType::mpi_isend:
    case EventType::mpi_recv:
    case EventType::mpi_irecv:
    case EventType::mpi_collective_end:
    case EventType::mpi_collective_complete:
    case EventType::comm_create:
    case EventType::comm_destroy:
      return usage_.comm(comm);
    default:
      return;
  }
}

void EventBuffer::put_off(Event event) {
  const std::vector<EventAttribute> attributes(attributes_.end() - pending_, attributes_.end());
  attributes_.resize(attributes_.size() - pending_);
  pending_ = 0;
  if (event.type == EventType::buffer_flush || cancels(event)) return;
  put_off_.push_back({event, attributes});
}

// Takes the region that `end` leaves out of what was put off, when nothing between the two must remain.
bool EventBuffer::cancels(const Event& end) noexcept {
  if (end.type != EventType::leave) return false;
  for (std::size_t n = put_off_.size(); n-- > 0;) {
    const Event& e = put_off_[n].event;
    if (e.type == EventType::enter && e.ref == end.ref) {
      if (n > 0 && put_off_[n - 1].event.type == EventType::team_begin) return false;  // the team's region
      put_off_.resize(n);
      return true;
    }
    const bool stays =
        e.type == EventType::task_create || e.type == EventType::task_switch || e.type == EventType::task_complete ||
        e.type == EventType::leave || e.type == EventType::team_begin || e.type == EventType::team_end ||
        e.type == EventType::thread_fork || e.type == EventType::thread_join || e.type == EventType::acquire_lock ||
        e.type == EventType::release_lock || (e.type >= EventType::mpi_send && e.type <= EventType::mpi_rma_sync);
    if (stays) return false;
  }
  return false;
}

}  // namespace tracer::translate
