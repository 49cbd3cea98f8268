// SPDX-License-Identifier: BSD-3-Clause
// What a thread records into: its ring, its identity and its counters.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <utility>

#include "formats/raw/segment_encoder.hpp"
#include "tracer/base/futex.hpp"
#include "tracer/base/processors.hpp"
#include "tracer/front_end.h"
#include "tracer/ids.hpp"
#include "tracer/journal.hpp"
#include "tracer/record.hpp"
#include "tracer/ring/ring.hpp"
#include "tracer/session/modules.hpp"
#include "tracer/session/spool.hpp"

namespace tracer {

class Session;

/// Kind, endpoint, sub and a, as they lie in memory.
[[gnu::always_inline]] inline std::uint64_t head_word(const Record& record) noexcept {
  return static_cast<std::uint64_t>(record.kind) | static_cast<std::uint64_t>(record.endpoint) << 8 |
         std::uint64_t{record.sub} << 16 | std::uint64_t{record.a} << 32;
}

/// A record in registers.
struct RecordWords {
  Ticks time;
  std::uint64_t head;  ///< as head_word() has it
  std::uint64_t b, c;
};
[[gnu::always_inline]] inline RecordWords words_of(const Record& record) noexcept {
  return {record.time, head_word(record), record.b, record.c};
}

/// Four words out of registers. A copy of the structure would be read back from the stack in other pieces than it was
/// written in, which stalls for a dozen cycles.
[[gnu::always_inline]] inline void copy_slot(Record& to, const RecordWords& from) noexcept {
  using Word [[gnu::may_alias]] = std::uint64_t;
  auto* words = reinterpret_cast<Word*>(&to);
  words[0] = from.time;
  words[1] = from.head;
  words[2] = from.b;
  words[3] = from.c;
}
[[gnu::always_inline]] inline void copy_slot(Record& to, const Record& from) noexcept {
  copy_slot(to, words_of(from));
}

/// A channel serves one thread at a time; when the thread has ended and its ring is empty, the next one.
class alignas(64) Channel {
 public:
  Channel() = default;
  /// Of a forked child's first thread, which has no session yet: a few records in the process's own memory. Counters go
  /// on from `counter`.
  Channel(std::span<Record> slots, std::atomic<std::uint64_t>& head, std::atomic<std::uint64_t>& tail,
          std::uint64_t counter) noexcept;

  ChannelId id() const noexcept { return id_; }
  /// For make_id(): starts at 1 in each thread.
  std::uint64_t next_counter() noexcept { return ++counter_; }
  std::uint64_t counter() const noexcept { return counter_; }

  /// Its begin is what front ends record by (include/tracer/front_end.h).
  static consteval bool begins_as_lane() noexcept {
    return offsetof(Channel, ring_) == 0 && decltype(ring_)::begins_as<tracer_lane>() &&
           offsetof(Channel, counter_) == offsetof(tracer_lane, counter) &&
           offsetof(Channel, id_) == offsetof(tracer_lane, channel) &&
           sizeof(Record) == 4 * sizeof *tracer_lane::records;
  }

  // Chunks that loops hand out to the thread come too often to be recorded each: they are counted. Loops of nested
  // regions are inside of each other; of very deep ones those outside miscount.
  void begin_chunks() noexcept { chunks_[++loops_ % most_loops] = 0; }
  void count_chunk() noexcept { ++chunks_[loops_ % most_loops]; }
  std::uint32_t end_chunks() noexcept { return chunks_[loops_-- % most_loops]; }
  // A cancelled loop has no end: it is over with the region that the thread has begun around it.
  void begin_region(ParallelId id) noexcept { regions_[++region_ % most_loops] = {id, loops_}; }
  /// Some regions have two ends, or none, or end with another id than theirs: ids of one thread grow.
  void end_region(ParallelId id) noexcept {
    if (id == 0) return;
    for (std::uint32_t i = 0; i < most_loops; ++i) {
      const LoopsBefore& region = regions_[(region_ - i) % most_loops];
      if (region.id < id) return;
      if (region.id != id) continue;
      loops_ = region.loops;
      region_ -= i + 1;
      return;
    }
  }

  /// Modules whose code the thread met before the last one, or the channel's thread before it; some may be empty.
  std::span<CodeRange> code_before() noexcept { return code_before_; }
  /// In the place of the one that is remembered longest.
  void remember_code(const CodeRange& range) noexcept {
    next_code_ = (next_code_ + 1) % code_before_.size();
    code_before_[next_code_] = range;
  }

  /// The channel's own thread only. One comparison, one store of 32 bytes, one release store.
  [[gnu::always_inline]] void emit(const RecordWords& record) noexcept {
    if (ring_.try_put(record)) [[likely]]
      return;
    emit_slowly(record.time, record.head, record.b, record.c);
  }
  [[gnu::always_inline]] void emit(const Record& record) noexcept { emit(words_of(record)); }
  /// `more` becomes a RecordKind::more by copy_slot(); both are kept or neither.
  template <class More>
  [[gnu::always_inline]] void emit(const RecordWords& record, const More& more) noexcept {
    if (ring_.try_put(record, more)) [[likely]]
      return;
    Record pair[2];
    copy_slot(pair[0], record);
    copy_slot(pair[1], more);
    emit_slowly(pair[0], &pair[1]);
  }
  [[gnu::always_inline]] void emit(const Record& record, const Record& more) noexcept { emit(words_of(record), more); }

  /// Notes who the thread is; the thread_begin handler calls it.
  void identify(std::uint32_t thread_type, std::int32_t processor, std::int32_t place) noexcept;
  /// Notes where a thread of a team is bound to.
  void bind(std::int32_t processor, std::int32_t place) noexcept;
  /// The channel's own thread: the next records take the slow way, until the first that is of a team calls what
  /// Session::set_joined() names. Later records do not contain it.
  void await_team() noexcept;

  // For the consumer, one at a time.
  RingReader<std::uint64_t, Record> reader() noexcept {
    return {slot_.records, slot_.header->capacity, slot_.header->head, slot_.header->tail};
  }
  /// A thread has it, or had it and its last records are still in it.
  bool has_thread() const noexcept { return slot_.header->channel.load(std::memory_order_acquire) != raw::no_channel; }
  bool keeps_newest() const noexcept { return slot_.header->flags != 0; }
  /// That its thread was bound to in its first team, or could use when it ended. nullptr: neither has been yet.
  const ProcessorMask* processors() const noexcept {
    return has_processors_.load(std::memory_order_acquire) ? &processors_ : nullptr;
  }
  bool is_closed() const noexcept { return closed_.load(std::memory_order_acquire); }
  /// Whoever empties the ring has it for that time: the consumer, or the channel's own thread. False: another has it.
  bool take_ring() noexcept { return !is_taken_.exchange(true, std::memory_order_acquire); }
  void give_ring_back() noexcept { is_taken_.store(false, std::memory_order_release); }
  /// For the channel's own thread when it empties the ring.
  raw::SegmentEncoder& encoder() noexcept { return encoder_; }
  /// The channel's own thread: whether it was not counted in this `window` of time yet.
  bool is_new_in(std::uint32_t window) noexcept { return std::exchange(window_, window) != window; }
  /// Off the list of drain requests, before its ring is looked at. The next on the list.
  Channel* leave_list() noexcept {
    Channel* const next = next_to_drain_;
    is_listed_.exchange(false);  // sees what was done before it was set
    return next;
  }
  /// Wakes a producer that waits; behind the release of the ring's tail.
  void made_room() noexcept {
    // A producer announces that it waits, then looks at the tail; here the tail is written, then the announcement read.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (waiting_.load(std::memory_order_relaxed) == 0) return;
    room_.fetch_add(1, std::memory_order_release);
    futex_wake_all(room_);
  }
  /// Of a flight recorder: the position up to which the trace has its records.
  std::uint64_t written() const noexcept { return written_; }
  /// What is in the trace now; `from` is where its last part begins, behind `to` where the producer left none of it.
  void set_written(std::uint64_t from, std::uint64_t to) noexcept {
    const std::uint64_t begin = std::min(from, to);
    if (begin > written_) overwritten_ += begin - written_;
    written_ = to;
  }
  /// How many of so many records are not in the trace.
  std::uint64_t overwritten(std::uint64_t records) const noexcept {
    return overwritten_ + (records - std::min(records, written_));
  }

  // For the session.
  /// Puts it on the list of free ones that begins with `first`, and takes it from there; under the session's lock.
  void enter_free(Channel*& first) noexcept {
    next_free_ = first;
    first = this;
  }
  void leave_free(Channel*& first) noexcept { first = next_free_; }
  /// A ring in the spool, for good. False: no memory.
  bool make_ring(Session& session, Spool& spool, std::uint64_t records) noexcept;
  /// The calling thread's from now on.
  void open(ChannelId id, bool keeps_newest) noexcept;
  /// The calling thread has ended; its last records may still be in the ring.
  void close() noexcept;
  /// The ring is empty: no thread has it.
  void leave() noexcept;
  /// The producer looks around at its next record. Any thread.
  void interrupt() noexcept { ring_.interrupt(); }
  /// Puts it on the list that begins with `first`, unless it is on one. Any thread.
  bool enter_list(std::atomic<Channel*>& first) noexcept;
  bool has_session() const noexcept { return session_ != nullptr; }
  /// Of one that a thread has: its ring outlives the process.
  bool survives() const noexcept { return slot_.survives; }
  /// errno for which it does not.
  int ring_error() const noexcept { return slot_.error; }
  /// A thread that the runtime took for an initial one has it, and has not ended. `other_than`: the system's id of one.
  bool has_initial_thread(std::uint64_t other_than) const noexcept;
  /// The journal's entry on the thread that has it: at its end, or the run's.
  ChannelInfo info() const noexcept;
  /// Of records that were refused since the last `lost` record; 0: none.
  Ticks first_unreported() const noexcept { return first_unreported_.load(std::memory_order_relaxed); }
  std::uint32_t lost(RecordKind kind) const noexcept {
    return lost_kinds_[static_cast<unsigned>(kind) & 63].load(std::memory_order_relaxed);
  }
  /// What a forked child's first thread has counted and recorded.
  void continue_from(const Channel& small) noexcept;

 private:
  [[gnu::noinline, gnu::cold]] void emit_slowly(const Record& record, const Record* more) noexcept;
  /// The same in words: the handler jumps here with the record in registers and needs no stack for it.
  [[gnu::noinline, gnu::cold]] void emit_slowly(Ticks time, std::uint64_t head, std::uint64_t b,
                                                std::uint64_t c) noexcept;
  void look_for_team(const Record& record) noexcept;
  bool make_room(std::uint64_t count) noexcept;
  std::uint64_t usable_room() noexcept;
  void request_drain() noexcept;
  bool empty_ring(bool urgent) noexcept;
  bool grows() const noexcept;
  std::uint64_t drain_mark() const noexcept;
  void use_slots(std::uint64_t records) noexcept;
  bool wait_for_room(std::uint64_t count) noexcept;
  void allow(std::uint64_t room) noexcept;
  void lose(const Record& record, const Record* more) noexcept;
  void emit_in_later_run(const Record& record, const Record* more) noexcept;
  void record_losses(Ticks time) noexcept;
  void overwrite(std::uint64_t count) noexcept;

  RingWriter<std::uint64_t, Record> ring_;
  static constexpr std::uint32_t most_loops = 8;
  std::uint64_t counter_ = 0;
  ChannelId id_ = 0;
  std::uint32_t loops_ = 0;
  std::array<std::uint32_t, most_loops> chunks_{};
  /// Of a region that the thread has begun: in how many loops it was.
  struct LoopsBefore {
    ParallelId id = 0;
    std::uint32_t loops = 0;
  };
  std::uint32_t region_ = 0;
  std::array<LoopsBefore, most_loops> regions_{};

  // Cold from here on.
  Session* session_ = nullptr;
  std::array<CodeRange, 3> code_before_{};
  std::size_t next_code_ = 0;
  Slot slot_;
  std::uint64_t usual_slots_ = 0;  ///< in use while the consumer empties the ring
  bool empties_itself_ = false;    ///< as long as processors are all in use: then few slots are, which stay in a cache
  std::uint32_t window_ = 0;
  raw::SegmentEncoder encoder_;
  std::atomic<bool> is_taken_{false};
  FutexWord room_{0};  ///< raised by the consumer when a producer waits
  std::atomic<std::uint32_t> waiting_{0};
  std::atomic<bool> closed_{false};  ///< the thread has ended
  std::atomic<bool> is_listed_{false};
  Channel* next_free_ = nullptr;
  Channel* next_to_drain_ = nullptr;  ///< whoever set is_listed_ writes it, the consumer reads it and clears that
  std::atomic<std::uint64_t> wait_ticks_{0};
  std::atomic<std::uint64_t> lost_{0};
  unsigned looks_left_ = 0;       ///< records to look at until the thread is in a team
  std::uint64_t unreported_ = 0;  ///< losses since the last `lost` record
  std::atomic<Ticks> first_unreported_{0};
  std::array<std::atomic<std::uint32_t>, 64> lost_kinds_{};
  // The journal's entry on the thread; it may be read, at the run's end, while the thread writes it.
  std::atomic<std::uint32_t> thread_type_{0};
  std::atomic<std::int32_t> processor_{-1}, place_{-1};
  std::atomic<Ticks> end_{0};
  std::atomic<Nanoseconds> processor_ns_{0}, delay_ns_{0};  ///< of a thread that has ended
  ProcessorMask processors_;                                ///< written once, by the thread
  std::atomic<bool> has_processors_{false};
  // Consumer of a flight recorder: the positions before the first are in the trace, but so many that were overwritten.
  std::uint64_t written_ = 0, overwritten_ = 0;
};

namespace detail {
extern constinit thread_local Channel* channel __attribute__((tls_model("initial-exec")));
/// The same while the clock is the processor's counter, else nullptr: one look gives a handler both.
extern constinit thread_local Channel* counter_channel __attribute__((tls_model("initial-exec")));
void set_channel(Channel* mine) noexcept;
/// Makes the calling thread's channel; nullptr: it cannot.
[[gnu::noinline, gnu::cold]] Channel* make_channel() noexcept;
Channel* make_channel(ChannelId id) noexcept;
}  // namespace detail

/// The calling thread is the tool's: nothing of it is recorded. The program's malloc() may use OpenMP there, too.
void leave_this_thread_out() noexcept;

/// The calling thread's channel, made at its first use; nullptr when nothing is recorded or memory is short.
inline Channel* this_channel() noexcept {
  Channel* const mine = detail::channel;
  if (mine) [[likely]]
    return mine;
  return detail::make_channel();
}

}  // namespace tracer
