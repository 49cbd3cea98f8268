// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP constructs that become regions: what they are called and which role they play.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tracer/definitions.hpp"
#include "tracer/ompt_values.hpp"
#include "tracer/record.hpp"

namespace tracer::translate {

enum class Construct : std::uint8_t {
  parallel,
  teams,
  for_loop,
  sections,
  section,
  single,
  single_sblock,
  workshare,
  distribute,
  taskloop,
  scope,
  work_other,
  loop_chunk,
  masked,
  barrier,
  implicit_barrier,
  implementation_barrier,
  teams_barrier,
  taskwait,
  taskgroup,
  reduction,
  sync_other,
  create_task,
  task,
  task_untied,
  target_task,
  task_dependence,
  fulfill_event,
  doacross_sink,
  doacross_source,
  critical,
  critical_sblock,
  ordered,
  ordered_sblock,
  atomic,
  set_lock,
  unset_lock,
  test_lock,
  set_nest_lock,
  unset_nest_lock,
  test_nest_lock,
  mutex_other,
  init_lock,
  destroy_lock,
  init_nest_lock,
  destroy_nest_lock,
  flush,
  cancel,
  error,
  control_tool,
  phase,
  target,
  target_enter_data,
  target_exit_data,
  target_update,
  target_other,
  data_alloc,
  data_delete,
  data_to_device,
  data_from_device,
  data_associate,
  data_disassociate,
  data_other,
  target_submit,
  target_map,
  lost_events,
  mpi,    ///< `extra` is the function
  range,  ///< the program's own word for a part of its run
  mark,   ///< and for a moment
  count_,
};

/// What a region is before it has a name: the construct, whether it is the waiting inside it, a
/// number where the construct alone does not contain it (an unknown kind), and where it stands. `phase` stands nowhere:
/// its codeptr is the name.
struct RegionKey {
  std::uint64_t codeptr = 0;  ///< as the runtime gave it; for `phase` a journal string id; for ranges word_name()
  Construct construct = Construct::count_;
  bool wait = false;
  std::uint16_t extra = 0;

  friend bool operator==(const RegionKey&, const RegionKey&) = default;
  std::uint64_t hash() const noexcept {
    const std::uint64_t kind =
        (std::uint64_t{static_cast<std::uint8_t>(construct)} << 17) | (std::uint64_t{wait} << 16) | extra;
    std::uint64_t h = (codeptr ^ (kind * 0x9e3779b97f4a7c15ull)) * 0xff51afd7ed558ccdull;
    return h ^ (h >> 32);
  }
};

struct ConstructRow {
  Construct construct;
  const char* name;  ///< as in "!$omp <name> @file:line"
  RegionRole role;
};

/// Of an annotation, which the program names itself: the codeptr is no address.
constexpr bool is_annotation(Construct c) noexcept {
  return c == Construct::phase || c == Construct::range || c == Construct::mark;
}
/// Of the record of a range, mark or counter: name and domain, journal string ids.
constexpr std::uint64_t word_name(const Record& r) noexcept {
  return r.a | (r.b & 0xffffffff) << 32;
}
constexpr std::uint16_t word_language(const Record& r) noexcept {
  return r.sub & 0xf;
}
/// How the payload of a range or mark, or the value of a counter, is to be read: the upper bits of its record's sub.
enum class WordPayload : std::uint8_t {
  none = 0,
  unsigned_integer = 1,
  signed_integer = 2,
  real = 3,
  text = 4,
  correlation = 5
};
/// What is unknown is none.
constexpr WordPayload word_payload(std::uint16_t sub) noexcept {
  const auto type = (sub >> 4) & 0xf;
  return type <= static_cast<int>(WordPayload::correlation) ? static_cast<WordPayload>(type) : WordPayload::none;
}
/// "NVTX", "ITT", ...
const char* language_name(std::uint16_t language) noexcept;
constexpr RegionKey word_key(const Record& r) noexcept {
  return {word_name(r), r.kind == RecordKind::range_mark ? Construct::mark : Construct::range, false, word_language(r)};
}

const ConstructRow& row_of(Construct construct) noexcept;

/// May be the barrier that ends a team.
constexpr bool is_join(Construct c) noexcept {
  return c == Construct::implicit_barrier || c == Construct::teams_barrier;
}

constexpr bool is_barrier(Construct c) noexcept {
  return c == Construct::barrier || c == Construct::implicit_barrier || c == Construct::implementation_barrier ||
         c == Construct::teams_barrier;
}

/// omp_control_tool commands of ours, free to use without a header: a phase named by the argument
/// begins, the innermost ends.
inline constexpr std::uint64_t command_begin_phase = 64;
inline constexpr std::uint64_t command_end_phase = 65;
/// Neither omp_control_tool_t's start, pause, flush and end, nor a phase: an instant with a number.
constexpr bool is_mark_command(std::uint64_t command) noexcept {
  return command == 0 ||
         (command > control_command::end && command != command_begin_phase && command != command_end_phase);
}

/// "!$omp critical sblock @f.c:3" without the position; lock routines are "omp_set_lock".
std::string construct_name(const RegionKey& key);

/// The construct of a callback's kind argument; the *_other constructs carry unknown ones.
Construct sync_construct(std::uint16_t kind) noexcept;     // ompt_sync_region_t
Construct work_construct(std::uint16_t type) noexcept;     // ompt_work_t
Construct mutex_construct(std::uint16_t kind) noexcept;    // ompt_mutex_t, the acquisition
Construct release_construct(std::uint16_t kind) noexcept;  // ompt_mutex_t, the release
/// Of ompt_mutex_t: lock or nest_lock, tested or set.
constexpr bool is_lock_routine(std::uint16_t kind) noexcept {
  return kind >= mutex_kind::lock && kind <= mutex_kind::test_nest_lock;
}
/// The routine that only tries: of a lock or of a nestable one.
Construct test_construct(std::uint16_t kind) noexcept;
/// A dependence of a loop iteration (ordered depend, doacross), not of a task.
constexpr bool is_doacross(const Record& r) noexcept {
  return r.kind == RecordKind::dependences && (r.sub == dependence_type::source || r.sub == dependence_type::sink);
}
Construct doacross_construct(std::uint16_t type) noexcept;    // ompt_dependence_type_t
Construct target_construct(std::uint16_t kind) noexcept;      // ompt_target_t
Construct data_op_construct(std::uint16_t optype) noexcept;   // ompt_target_data_op_t
const char* schedule_name(std::uint16_t work_type) noexcept;  ///< "static", ...; nullptr for no loop

/// Of a loop's begin. libomp 14 to 22 lose the codeptr_ra of a team's first thread where another leaves a critical
/// construct at that moment (__kmpc_end_critical clears that of thread 0). The loop's end has it.
inline bool is_loop_without_codeptr(const Record& r) noexcept {
  return r.c == 0 && r.kind == RecordKind::work && r.endpoint == Endpoint::begin && schedule_name(r.sub) != nullptr;
}

/// The region that the record enters, leaves or passes; construct count_ when it has none.
/// `parallel` and `task` regions are keyed by parallel_begin and task_create.
RegionKey region_key(const Record& record) noexcept;

/// All that region_key() looks at besides `c`: kind and sub.
constexpr std::uint32_t key_tag(const Record& record) noexcept {
  return static_cast<std::uint32_t>(record.kind) | std::uint32_t{record.sub} << 16;
}

/// What was found for the kind, sub and address of recent records: most records are one of a few dozen.
/// Value must have a default for "nothing yet"; kind 0 is no record's, so an empty entry never matches.
template <class Value>
class SiteCache {
 public:
  struct Entry {
    std::uint64_t codeptr = 0;
    std::uint32_t tag = 0;
    Value value{};
    bool holds(const Record& record) const noexcept { return tag == key_tag(record) && codeptr == record.c; }
    void set(const Record& record, const Value& found) {
      codeptr = record.c;
      tag = key_tag(record);
      value = found;
    }
  };
  Entry& at(const Record& record) noexcept {
    return entries_[((record.c ^ (std::uint64_t{key_tag(record)} << 32)) * 0x9e3779b97f4a7c15ull) >> 57];
  }

 private:
  std::array<Entry, 128> entries_{};
};

}  // namespace tracer::translate
