// SPDX-License-Identifier: BSD-3-Clause
// Lists that any thread searches and adds to without a lock: a child that is forked meanwhile has no lock to wait for.
#pragma once

#include <atomic>

namespace tracer::words {

/// The entry from `first` on that `is_wanted` accepts; nullptr: none does.
template <class Entry, class IsWanted>
Entry* find_from(Entry* first, const IsWanted& is_wanted) noexcept {
  while (first != nullptr && !is_wanted(*first)) first = first->next;
  return first;
}

/// The entry of `chain` that `is_wanted` accepts, else a new one from `make` (nullptr: no memory). Entries are never
/// taken out. `drop` gets one that another thread was faster to add.
template <class Entry, class IsWanted, class Make, class Drop>
Entry* find_or_add(std::atomic<Entry*>& chain, const IsWanted& is_wanted, const Make& make, const Drop& drop) noexcept {
  Entry* first = chain.load(std::memory_order_acquire);
  if (Entry* known = find_from(first, is_wanted)) return known;
  Entry* const made = make();
  if (made == nullptr) return nullptr;
  do {
    if (Entry* known = find_from(first, is_wanted)) return drop(made), known;
    made->next = first;
  } while (!chain.compare_exchange_weak(first, made, std::memory_order_acq_rel, std::memory_order_acquire));
  return made;
}

}  // namespace tracer::words
