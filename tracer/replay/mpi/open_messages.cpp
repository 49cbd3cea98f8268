// SPDX-License-Identifier: BSD-3-Clause
// See open_messages.hpp.
#include "tracer/replay/mpi/open_messages.hpp"

#include <algorithm>

namespace tracer::report {

std::size_t OpenMessages::KeyHash::operator()(const Key& key) const noexcept {
  std::size_t hash = key.comm;
  for (const std::uint32_t part : {key.sender, key.receiver, key.tag}) hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

std::uint32_t OpenMessages::add(const Key& key) {
  std::uint32_t slot = static_cast<std::uint32_t>(slots_.size());
  if (!free_.empty()) {
    slot = free_.back();
    free_.pop_back();
    slots_[slot] = {};
  } else {
    slots_.emplace_back();
  }
  slots_[slot].use = ++uses_;
  slots_[slot].key = key;
  slots_[slot].message.comm = key.comm;
  slots_[slot].message.tag = key.tag;
  return slot;
}

void OpenMessages::remove(std::uint32_t slot) {
  slots_[slot].is_there[send] = slots_[slot].is_there[receive] = false;
  slots_[slot].use = 0;
  free_.push_back(slot);
}

std::uint32_t OpenMessages::take_oldest(const Key& key, Side lacking) {
  const auto found = queues_.find(key);
  if (found == queues_.end() || found->second.first == none || found->second.side == lacking) return none;
  const std::uint32_t slot = found->second.first;
  found->second.first = slots_[slot].next;
  --found->second.length;
  if (found->second.first == none) queues_.erase(found);
  return slot;
}

void OpenMessages::enqueue(std::uint32_t slot, Side side) {
  Queue& queue = queues_[slots_[slot].key];
  slots_[slot].message.number = ++numbers_;
  if (queue.first == none)
    queue.first = slot;
  else
    slots_[queue.last].next = slot;
  queue.last = slot;
  queue.side = side;
  if (++queue.length > waiting(crowded_)) crowded_ = slots_[slot].key;
}

std::uint32_t OpenMessages::waiting(const Key& key) const {
  const auto found = queues_.find(key);
  return found == queues_.end() ? 0 : found->second.length;
}

OpenMessages::Key OpenMessages::most_crowded(const Key& key) const {
  return waiting(crowded_) > waiting(key) ? crowded_ : key;
}

std::vector<std::uint32_t> OpenMessages::give_up(const Key& key) {
  given_up_.insert(key);
  std::vector<std::uint32_t> waiting;
  const auto found = queues_.find(key);
  if (found == queues_.end()) return waiting;
  for (std::uint32_t at = found->second.first; at != none; at = slots_[at].next) waiting.push_back(at);
  queues_.erase(found);
  return waiting;
}

void OpenMessages::take_back(std::uint32_t slot) {
  const auto found = queues_.find(slots_[slot].key);
  if (found == queues_.end()) return;
  Queue& queue = found->second;
  std::uint32_t before = none;
  for (std::uint32_t at = queue.first; at != none; before = at, at = slots_[at].next) {
    if (at != slot) continue;
    (before == none ? queue.first : slots_[before].next) = slots_[slot].next;
    if (queue.last == slot) queue.last = before;
    --queue.length;
    if (queue.first == none) queues_.erase(found);
    remove(slot);
    return;
  }
}

std::vector<std::uint32_t> OpenMessages::complete() const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot)
    if (slots_[slot].is_complete()) found.push_back(slot);
  std::sort(found.begin(), found.end(),
            [&](std::uint32_t a, std::uint32_t b) { return slots_[a].message.number < slots_[b].message.number; });
  return found;
}

}  // namespace tracer::report
