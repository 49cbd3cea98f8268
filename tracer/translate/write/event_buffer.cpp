// SPDX-License-Identifier: BSD-3-Clause
// Pauses of recording.
#include "tracer/translate/write/event_buffer.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tracer::translate {
namespace {

/// Says nothing that is true behind a pause: a wait for the drainer, or that something was not complete yet.
bool is_of_the_moment(EventType type) noexcept {
  return type == EventType::buffer_flush || type == EventType::mpi_request_test || type == EventType::mpi_rma_test ||
         type == EventType::io_operation_test;
}

}  // namespace

void EventBuffer::note_attributes() {
  for (const EventAttribute& a : batch_.pending()) {
    if (a.is_payload()) continue;
    usage_.attribute(a.attribute);
    if (a.attribute == text_) usage_.string(static_cast<std::uint32_t>(a.value));
  }
}

void EventBuffer::add_unusual_region(Nanoseconds time, EventType type, RegionRef region) {
  if (region == undefined_ref) return forget_attributes();
  if (paused_) return put_off(time, type, 0, region, 0, 0);
  note_attributes();
  batch_.put(time, type, 0, regions_.keep(region), 0, 0);
}

void EventBuffer::pause(Nanoseconds time) {
  if (paused_) return;
  is_marked_ = batch_.count() > 0;  // a thread that comes later has nothing to interrupt
  if (is_marked_) add(time, EventType::measurement_on_off, 0, 0);
  paused_ = true;
}

void EventBuffer::resume(Nanoseconds time) {
  if (!paused_) return;
  paused_ = false;
  if (is_marked_) add(time, EventType::measurement_on_off, 0, 1);
  write_put_off(time, std::exchange(put_off_, {}));
  write_put_off(time, std::exchange(values_, {}));
}

void EventBuffer::write_put_off(Nanoseconds time, const std::vector<PutOff>& all) {
  for (const PutOff& late : all) {
    for (const EventAttribute& a : late.attributes) batch_.attribute(a);
    const Event& e = late.event;
    if (e.type == EventType::enter || e.type == EventType::leave) {
      add_region(time, e.type, e.ref);
    } else {
      add(time, e.type, e.ref, e.a, e.b, e.sub);
    }
  }
}

void EventBuffer::put_off(Nanoseconds time, EventType type, std::uint16_t sub, std::uint32_t ref, std::uint64_t a,
                          std::uint64_t b) {
  const std::vector<EventAttribute> attributes(batch_.pending().begin(), batch_.pending().end());
  batch_.forget_attributes();
  const Event event{time, type, 0, sub, ref, a, b};
  if (is_of_the_moment(type) || cancels(event) || completes_last(event)) return;
  if (type == EventType::metric_uint) return put_off_value({event, attributes});
  put_off_.push_back({event, attributes});
}

void EventBuffer::put_off_value(PutOff value) {
  const auto same = [&](const PutOff& p) { return p.event.ref == value.event.ref; };
  const auto before = std::find_if(values_.begin(), values_.end(), same);
  if (before == values_.end())
    values_.push_back(std::move(value));
  else
    *before = std::move(value);
}

// Takes the operation of input or output that `end` completes out of what was put off, when nothing else came since. It
// is of this thread alone, whereas messages and collective operations are matched with other processes' by their order.
bool EventBuffer::completes_last(const Event& end) noexcept {
  if (end.type != EventType::io_operation_complete && end.type != EventType::io_operation_cancelled) return false;
  const auto is_last = [&](std::size_t n, EventType type) {
    return n > 0 && put_off_[n - 1].event.type == type && put_off_[n - 1].event.b == end.b;
  };
  std::size_t n = put_off_.size();
  while (is_last(n, EventType::io_operation_issued)) --n;
  if (!is_last(n, EventType::io_operation_begin)) return false;
  put_off_.erase(put_off_.begin() + static_cast<std::ptrdiff_t>(n - 1), put_off_.end());
  return true;
}

// Takes the region that `end` leaves out of what was put off, when nothing between the two must remain.
bool EventBuffer::cancels(const Event& end) noexcept {
  if (end.type != EventType::leave) return false;
  for (std::size_t n = put_off_.size(); n-- > 0;) {
    const Event& e = put_off_[n].event;
    if (e.type == EventType::enter && e.ref == end.ref) {
      if (n > 0 && put_off_[n - 1].event.type == EventType::team_begin) return false;  // the team's region
      put_off_.erase(put_off_.begin() + static_cast<std::ptrdiff_t>(n), put_off_.end());
      return true;
    }
    const bool stays = e.type == EventType::task_create || e.type == EventType::task_switch ||
                       e.type == EventType::task_complete || e.type == EventType::leave ||
                       e.type == EventType::team_begin || e.type == EventType::team_end ||
                       e.type == EventType::thread_fork || e.type == EventType::thread_join ||
                       e.type == EventType::acquire_lock || e.type == EventType::release_lock ||
                       (e.type >= EventType::mpi_send && e.type <= EventType::io_operation_cancelled);
    if (stays) return false;
  }
  return false;
}

}  // namespace tracer::translate
