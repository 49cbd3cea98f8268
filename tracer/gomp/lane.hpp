// SPDX-License-Identifier: BSD-3-Clause
// Records without a call: put into the calling thread's lane (include/tracer/front_end.h), or handed to libtracer.so
// where it has none. libgomp's system calls leave no predictions of where calls through tables go, so that such a call
// costs as much as what it records.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tracer/front_end.h"
#include "tracer/ids.hpp"
#include "tracer/processor.hpp"

namespace tracer::gomp {

// Of these the compiler must know that they are in this library: else it reads their addresses from a table.

/// libtracer.so's table; set before anything is recorded.
[[gnu::visibility("hidden")]] extern const tracer_front_end* front;
/// Where from a thread's pointer its lane's address is.
[[gnu::visibility("hidden")]] extern std::ptrdiff_t lane_at;

/// The program's own file, whose code is there as long as the process.
struct ProgramCode {
  std::uint64_t begin, size;
};
[[gnu::visibility("hidden")]] extern ProgramCode program_code;

/// Of a construct that begins: its library may be closed before the trace's end.
[[gnu::always_inline]] inline void see(const void* code) noexcept {
  const auto place = reinterpret_cast<std::uint64_t>(code);
  if (place - program_code.begin >= program_code.size) [[unlikely]]
    front->see_place(place);
}

/// What a record has besides its time.
struct Words {
  std::uint32_t word, a;
  std::uint64_t b, c;
};

/// nullptr: there is none.
[[gnu::always_inline]] inline tracer_lane* this_lane() noexcept {
  return static_cast<tracer_lane*>(thread_word(lane_at));
}

[[gnu::always_inline]] inline void put_at(std::uint64_t* slot, std::uint64_t time, const Words& words) noexcept {
  slot[0] = time;
  slot[1] = words.word | static_cast<std::uint64_t>(words.a) << 32;
  slot[2] = words.b;
  slot[3] = words.c;
}

/// Records of one moment. False: none, for the lane's owner has something to look at.
template <class... Record>
[[gnu::always_inline]] inline bool put(tracer_lane& lane, const Record&... records) noexcept {
  std::uint64_t* const shared = lane.head;
  std::uint64_t at = __atomic_load_n(shared, __ATOMIC_RELAXED);
  if (at + sizeof...(records) > __atomic_load_n(&lane.limit, __ATOMIC_RELAXED)) [[unlikely]]
    return false;
  const std::uint64_t time = read_counter();
  std::uint64_t* const slots = lane.records;
  const std::uint64_t mask = lane.mask;
  (put_at(slots + 4 * (at++ & mask), time, records), ...);
  __atomic_store_n(shared, at, __ATOMIC_RELEASE);
  return true;
}

/// Each of them on its own: libtracer.so looks at whatever there is.
template <class... Record>
[[gnu::noinline, gnu::cold]] void hand_over(Record... records) noexcept {
  (front->emit(records.word, records.a, records.b, records.c), ...);
}

/// Records of one moment; where something is to be looked at between them, of several.
template <class... Record>
[[gnu::always_inline]] inline void record(const Record&... records) noexcept {
  tracer_lane* const lane = this_lane();
  if (lane == nullptr || !put(*lane, records...)) [[unlikely]]
    hand_over(records...);
}

/// 0: nothing is recorded.
[[gnu::always_inline]] inline std::uint64_t new_id() noexcept {
  if (tracer_lane* const lane = this_lane()) [[likely]]
    return make_id(lane->channel, ++lane->counter);
  return front->new_id();
}

}  // namespace tracer::gomp
