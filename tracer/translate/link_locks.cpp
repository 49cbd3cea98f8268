// SPDX-License-Identifier: BSD-3-Clause
// The order in which a lock went from thread to thread.
#include <algorithm>
#include <unordered_map>

#include "tracer/translate/link.hpp"

namespace tracer::translate {
namespace {

enum Kind : std::uint8_t { acquired = 0, released = 1, nested = 2, nested_release = 3 };

struct Acquisition {
  std::uint32_t lock;
  ChannelId channel;
  Ticks time;
  std::uint32_t operation;
};

void number_locks(Tables& tables) {
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  for (ChannelScan& scan : tables.channels) {
    for (std::size_t i = 0; i < scan.locks.size(); ++i)
      scan.locks[i].lock = numbers.emplace(scan.lock_addresses[i], static_cast<std::uint32_t>(numbers.size())).first->second;
    std::vector<std::uint64_t>().swap(scan.lock_addresses);
  }
}

std::vector<Acquisition> in_order(const Tables& tables) {
  std::vector<Acquisition> all;
  for (ChannelId c = 0; c < tables.channels.size(); ++c) {
    const ChannelScan& scan = tables.channels[c];
    for (std::uint32_t i = 0; i < scan.locks.size(); ++i)
      if (scan.lock_kinds[i] == acquired) all.push_back({scan.locks[i].lock, c, scan.locks[i].time, i});
  }
  std::sort(all.begin(), all.end(), [](const Acquisition& a, const Acquisition& b) {
    return std::tie(a.lock, a.time, a.channel, a.operation) < std::tie(b.lock, b.time, b.channel, b.operation);
  });
  return all;
}

}  // namespace

void link_locks(Tables& tables) {
  number_locks(tables);
  std::vector<Acquisition> all = in_order(tables);
  // until[i]: when the acquisition i must have ended, because the next one began.
  std::vector<std::vector<Ticks>> until(tables.channels.size());
  for (ChannelId c = 0; c < tables.channels.size(); ++c) until[c].resize(tables.channels[c].locks.size(), never);
  std::uint32_t order = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    order = i > 0 && all[i - 1].lock == all[i].lock ? order + 1 : 1;
    tables.channels[all[i].channel].locks[all[i].operation].order = order;
    if (i + 1 < all.size() && all[i + 1].lock == all[i].lock) until[all[i].channel][all[i].operation] = all[i + 1].time;
  }
  for (ChannelId c = 0; c < tables.channels.size(); ++c) {
    ChannelScan& scan = tables.channels[c];
    std::unordered_map<std::uint32_t, std::uint32_t> held;  // lock -> the acquisition's operation
    for (std::uint32_t i = 0; i < scan.locks.size(); ++i) {
      LockOperation& op = scan.locks[i];
      if (scan.lock_kinds[i] == acquired) {
        held[op.lock] = i;
        continue;
      }
      const auto it = held.find(op.lock);
      if (it == held.end()) continue;  // released by another thread than acquired it: order stays 0
      op.order = scan.locks[it->second].order;
      op.time = std::min(op.time, until[c][it->second]);
      if (scan.lock_kinds[i] == released) held.erase(it);
    }
  }
}

}  // namespace tracer::translate
