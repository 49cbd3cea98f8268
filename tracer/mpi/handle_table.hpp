// SPDX-License-Identifier: BSD-3-Clause
// Data of MPI's handles, by handle or by another word. Guarded by its owner.
#pragma once

#include <cstdlib>

#include "tracer/mpi/family.hpp"

namespace tracer::mpi {

/// Open addressing; never freed. Handle 0 is nobody's.
template <class Known>
class HandleTable {
 public:
  Known* find(Word handle) const noexcept { return room_ == 0 ? nullptr : slot_in(slots_, room_, handle)->known; }
  /// False: no memory.
  bool set(Word handle, Known* known) noexcept {
    if ((used_ + 1) * 2 > room_ && !grow()) return false;
    Slot* const slot = slot_in(slots_, room_, handle);
    if (slot->handle == 0) ++used_;
    *slot = {handle, known};
    return true;
  }
  /// Unless it is another's by now: as soon as MPI has freed it another thread may have it. The handle stays, so that
  /// those behind it are found.
  void forget(Word handle, const Known* known) noexcept {
    if (room_ == 0) return;
    Slot* const slot = slot_in(slots_, room_, handle);
    if (slot->known == known) slot->known = nullptr;
  }
  /// body(known) of each handle.
  template <class Body>
  void for_each(const Body& body) const noexcept {
    for (std::size_t i = 0; i < room_; ++i)
      if (slots_[i].known != nullptr) body(*slots_[i].known);
  }

 private:
  struct Slot {
    Word handle = 0;
    Known* known = nullptr;
  };
  static Slot* slot_in(Slot* table, std::size_t room, Word handle) noexcept {
    std::size_t i = ((handle >> 4 ^ handle << 20) * 0x9e3779b97f4a7c15ull >> 20) & (room - 1);
    while (table[i].handle != 0 && table[i].handle != handle) i = (i + 1) & (room - 1);
    return &table[i];
  }
  bool grow() noexcept {
    const std::size_t room = room_ == 0 ? 64 : room_ * 2;
    auto* const bigger = static_cast<Slot*>(std::calloc(room, sizeof(Slot)));
    if (bigger == nullptr) return false;
    used_ = 0;
    for (std::size_t i = 0; i < room_; ++i)
      if (slots_[i].known != nullptr) {
        *slot_in(bigger, room, slots_[i].handle) = slots_[i];
        ++used_;
      }
    std::free(slots_);
    slots_ = bigger;
    room_ = room;
    return true;
  }

  Slot* slots_ = nullptr;
  std::size_t room_ = 0, used_ = 0;
};

}  // namespace tracer::mpi
