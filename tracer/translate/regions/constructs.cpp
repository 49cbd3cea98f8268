// SPDX-License-Identifier: BSD-3-Clause
// The table of constructs, and which callback argument means which.
#include "tracer/translate/regions/constructs.hpp"

#include <array>

#include "tracer/mpi_functions.hpp"
#include "tracer/value_table.hpp"

namespace tracer::translate {
namespace {

// clang-format off
constexpr std::array<ConstructRow, static_cast<std::size_t>(Construct::count_)> rows{{
    {Construct::parallel,               "parallel",               RegionRole::parallel},
    {Construct::teams,                  "teams",                  RegionRole::parallel},
    {Construct::for_loop,               "for",                    RegionRole::loop},
    {Construct::sections,               "sections",               RegionRole::sections},
    {Construct::section,                "section",                RegionRole::section},
    {Construct::single,                 "single",                 RegionRole::single},
    {Construct::single_sblock,          "single sblock",          RegionRole::single_sblock},
    {Construct::workshare,              "workshare",              RegionRole::workshare},
    {Construct::distribute,             "distribute",             RegionRole::loop},
    {Construct::taskloop,               "taskloop",               RegionRole::loop},
    {Construct::scope,                  "scope",                  RegionRole::code},
    {Construct::work_other,             "work",                   RegionRole::workshare},
    {Construct::loop_chunk,             "loop chunk",             RegionRole::code},
    {Construct::masked,                 "masked",                 RegionRole::master},
    {Construct::barrier,                "barrier",                RegionRole::barrier},
    {Construct::implicit_barrier,       "implicit barrier",       RegionRole::implicit_barrier},
    {Construct::implementation_barrier, "implementation barrier", RegionRole::implicit_barrier},
    {Construct::teams_barrier,          "teams barrier",          RegionRole::implicit_barrier},
    {Construct::taskwait,               "taskwait",               RegionRole::task_wait},
    {Construct::taskgroup,              "taskgroup",              RegionRole::barrier},
    {Construct::reduction,              "reduction",              RegionRole::coll_all2one},
    {Construct::sync_other,             "sync region",            RegionRole::code},
    {Construct::create_task,            "create task",            RegionRole::task_create},
    {Construct::task,                   "task",                   RegionRole::task},
    {Construct::task_untied,            "task untied",            RegionRole::task_untied},
    {Construct::target_task,            "target task",            RegionRole::task},
    {Construct::task_dependence,        "task dependence",        RegionRole::artificial},
    {Construct::fulfill_event,          "fulfill event",          RegionRole::artificial},
    {Construct::doacross_sink,          "doacross sink",          RegionRole::artificial},
    {Construct::doacross_source,        "doacross source",        RegionRole::artificial},
    {Construct::critical,               "critical",               RegionRole::critical},
    {Construct::critical_sblock,        "critical sblock",        RegionRole::critical_sblock},
    {Construct::ordered,                "ordered",                RegionRole::ordered},
    {Construct::ordered_sblock,         "ordered sblock",         RegionRole::ordered_sblock},
    {Construct::atomic,                 "atomic",                 RegionRole::atomic},
    {Construct::set_lock,               "omp_set_lock",           RegionRole::wrapper},
    {Construct::unset_lock,             "omp_unset_lock",         RegionRole::wrapper},
    {Construct::test_lock,              "omp_test_lock",          RegionRole::wrapper},
    {Construct::set_nest_lock,          "omp_set_nest_lock",      RegionRole::wrapper},
    {Construct::unset_nest_lock,        "omp_unset_nest_lock",    RegionRole::wrapper},
    {Construct::test_nest_lock,         "omp_test_nest_lock",     RegionRole::wrapper},
    {Construct::mutex_other,            "mutex",                  RegionRole::critical},
    {Construct::init_lock,              "omp_init_lock",          RegionRole::wrapper},
    {Construct::destroy_lock,           "omp_destroy_lock",       RegionRole::wrapper},
    {Construct::init_nest_lock,         "omp_init_nest_lock",     RegionRole::wrapper},
    {Construct::destroy_nest_lock,      "omp_destroy_nest_lock",  RegionRole::wrapper},
    {Construct::flush,                  "flush",                  RegionRole::flush},
    {Construct::cancel,                 "cancel",                 RegionRole::artificial},
    {Construct::error,                  "error",                  RegionRole::artificial},
    {Construct::control_tool,           "omp_control_tool",       RegionRole::wrapper},
    {Construct::phase,                  "phase",                  RegionRole::code},
    {Construct::target,                 "target",                 RegionRole::code},
    {Construct::target_enter_data,      "target enter data",      RegionRole::code},
    {Construct::target_exit_data,       "target exit data",       RegionRole::code},
    {Construct::target_update,          "target update",          RegionRole::code},
    {Construct::target_other,           "target construct",       RegionRole::code},
    {Construct::data_alloc,             "target data alloc",      RegionRole::allocate},
    {Construct::data_delete,            "target data delete",     RegionRole::deallocate},
    {Construct::data_to_device,         "target data to device",  RegionRole::data_transfer},
    {Construct::data_from_device,       "target data from device", RegionRole::data_transfer},
    {Construct::data_associate,         "target data associate",  RegionRole::artificial},
    {Construct::data_disassociate,      "target data disassociate", RegionRole::artificial},
    {Construct::data_other,             "target data op",         RegionRole::data_transfer},
    {Construct::target_submit,          "target submit",          RegionRole::wrapper},
    {Construct::target_map,             "target map",             RegionRole::artificial},
    {Construct::lost_events,            "events lost",            RegionRole::artificial},
    {Construct::mpi,                    "MPI",                    RegionRole::function},
    {Construct::range,                  "range",                  RegionRole::code},
    {Construct::mark,                   "mark",                   RegionRole::artificial},
}};
// clang-format on

constexpr bool complete() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (static_cast<std::size_t>(rows[i].construct) != i) return false;
  return true;
}
static_assert(complete(), "one row per Construct, in order");

bool is_routine(Construct c) {
  return (c >= Construct::set_lock && c <= Construct::test_nest_lock) ||
         (c >= Construct::init_lock && c <= Construct::destroy_nest_lock) || c == Construct::control_tool;
}

/// Kinds of OpenMP 6.0, which have a name and no construct of their own here; nullptr: another one.
const char* name_in_openmp_6(const RegionKey& key) noexcept {
  if (key.construct == Construct::work_other)
    return key.extra == work_type::workdistribute ? "workdistribute" : nullptr;
  if (key.construct != Construct::data_other) return nullptr;
  static constexpr ValueTable<std::uint16_t, const char*, 26> names{
      nullptr,
      {{data_op::transfer, "target data transfer"},
       {data_op::transfer_async, "target data transfer async"},
       {data_op::transfer_rect, "target data transfer rect"},
       {data_op::transfer_rect_async, "target data transfer rect async"},
       {data_op::memset, "target data memset"},
       {data_op::memset_async, "target data memset async"}}};
  return names[key.extra];
}

}  // namespace

const ConstructRow& row_of(Construct construct) noexcept {
  return rows[static_cast<std::size_t>(construct)];
}

std::string construct_name(const RegionKey& key) {
  if (key.construct == Construct::mpi) return key.extra < mpi_functions ? mpi_function_table[key.extra].name : "MPI";
  std::string name = is_routine(key.construct) ? "" : key.construct == Construct::lost_events ? "!$tracer " : "!$omp ";
  if (const char* newer = name_in_openmp_6(key)) return name + newer + (key.wait ? " wait" : "");
  name += row_of(key.construct).name;
  switch (key.construct) {
    case Construct::work_other:
    case Construct::sync_other:
    case Construct::mutex_other:
    case Construct::target_other:
    case Construct::data_other:
      name += " " + std::to_string(key.extra);
      break;
    default:
      break;
  }
  if (key.wait) name += " wait";
  return name;
}

Construct sync_construct(std::uint16_t kind) noexcept {
  using enum Construct;
  static constexpr ValueTable<std::uint16_t, Construct, 11> constructs{
      sync_other,
      {{sync_kind::barrier_before_51, barrier},
       {sync_kind::barrier_explicit, barrier},
       {sync_kind::barrier_implicit_before_51, implicit_barrier},
       {sync_kind::barrier_implicit_workshare, implicit_barrier},
       {sync_kind::barrier_implicit_parallel, implicit_barrier},
       {sync_kind::barrier_implementation, implementation_barrier},
       {sync_kind::taskwait, taskwait},
       {sync_kind::taskgroup, taskgroup},
       {sync_kind::reduction, reduction},
       {sync_kind::barrier_teams, teams_barrier}}};
  return constructs[kind];
}

Construct work_construct(std::uint16_t type) noexcept {
  using enum Construct;
  static constexpr ValueTable<std::uint16_t, Construct, 14> constructs{work_other,
                                                                       {{work_type::loop, for_loop},
                                                                        {work_type::loop_static, for_loop},
                                                                        {work_type::loop_dynamic, for_loop},
                                                                        {work_type::loop_guided, for_loop},
                                                                        {work_type::loop_other, for_loop},
                                                                        {work_type::sections, sections},
                                                                        {work_type::single_executor, single},
                                                                        {work_type::single_other, single},
                                                                        {work_type::workshare, workshare},
                                                                        {work_type::distribute, distribute},
                                                                        {work_type::taskloop, taskloop},
                                                                        {work_type::scope, scope}}};
  return constructs[type];
}

const char* schedule_name(std::uint16_t work_type) noexcept {
  static constexpr ValueTable<std::uint16_t, const char*, 14> names{
      nullptr,
      {{work_type::loop, "unknown"},  // OpenMP before 5.2 does not report the schedule
       {work_type::loop_static, "static"},
       {work_type::loop_dynamic, "dynamic"},
       {work_type::loop_guided, "guided"},
       {work_type::loop_other, "other"}}};
  return names[work_type];
}

Construct mutex_construct(std::uint16_t kind) noexcept {
  using enum Construct;
  static constexpr ValueTable<std::uint16_t, Construct, 8> constructs{mutex_other,
                                                                      {{mutex_kind::lock, set_lock},
                                                                       {mutex_kind::test_lock, test_lock},
                                                                       {mutex_kind::nest_lock, set_nest_lock},
                                                                       {mutex_kind::test_nest_lock, test_nest_lock},
                                                                       {mutex_kind::critical, critical},
                                                                       {mutex_kind::atomic, atomic},
                                                                       {mutex_kind::ordered, ordered}}};
  return constructs[kind];
}

Construct release_construct(std::uint16_t kind) noexcept {
  const Construct acquired = mutex_construct(kind);
  if (acquired == Construct::set_lock || acquired == Construct::test_lock) return Construct::unset_lock;
  if (acquired == Construct::set_nest_lock || acquired == Construct::test_nest_lock) return Construct::unset_nest_lock;
  return acquired;
}

Construct test_construct(std::uint16_t kind) noexcept {
  return kind >= mutex_kind::nest_lock ? Construct::test_nest_lock : Construct::test_lock;
}

Construct doacross_construct(std::uint16_t type) noexcept {
  return type == dependence_type::source ? Construct::doacross_source : Construct::doacross_sink;
}

Construct target_construct(std::uint16_t kind) noexcept {
  using enum Construct;
  static constexpr ValueTable<std::uint16_t, Construct, 13> constructs{
      target_other,
      {{target_kind::target, target},
       {target_kind::target_nowait, target},
       {target_kind::enter_data, target_enter_data},
       {target_kind::enter_data_nowait, target_enter_data},
       {target_kind::exit_data, target_exit_data},
       {target_kind::exit_data_nowait, target_exit_data},
       {target_kind::update, target_update},
       {target_kind::update_nowait, target_update}}};
  return constructs[kind];
}

Construct data_op_construct(std::uint16_t optype) noexcept {
  using enum Construct;
  static constexpr ValueTable<std::uint16_t, Construct, 21> constructs{data_other,
                                                                       {{data_op::alloc, data_alloc},
                                                                        {data_op::alloc_async, data_alloc},
                                                                        {data_op::to_device, data_to_device},
                                                                        {data_op::to_device_async, data_to_device},
                                                                        {data_op::from_device, data_from_device},
                                                                        {data_op::from_device_async, data_from_device},
                                                                        {data_op::remove, data_delete},
                                                                        {data_op::remove_async, data_delete},
                                                                        {data_op::associate, data_associate},
                                                                        {data_op::disassociate, data_disassociate}}};
  return constructs[optype];
}

const char* language_name(std::uint16_t language) noexcept {
  static const char* const names[] = {"annotation", "NVTX", "ITT", "Kokkos", "ROCTx", "MPI", "CUDA", "Python"};
  return language < sizeof names / sizeof *names ? names[language] : names[0];
}

RegionKey region_key(const Record& r) noexcept {
  const auto at = [&](Construct c) { return RegionKey{r.c, c, false, 0}; };
  const auto other = [&](Construct c, Construct unknown) {
    return RegionKey{r.c, c, false, c == unknown ? r.sub : std::uint16_t{0}};
  };
  switch (r.kind) {
    case RecordKind::parallel_begin:
      return at((unpack_parallel_flags(r.sub) & parallel_flag::league) ? Construct::teams : Construct::parallel);
    case RecordKind::task_create: {
      const std::uint32_t flags = unpack_task_flags(r.sub);
      if (flags & task_flag::taskwait) return at(Construct::taskwait);
      if (flags & task_flag::target) return at(Construct::target_task);
      return at((flags & task_flag::untied) ? Construct::task_untied : Construct::task);
    }
    case RecordKind::sync_region:
      return other(sync_construct(r.sub), Construct::sync_other);
    case RecordKind::sync_region_wait: {
      RegionKey key = other(sync_construct(r.sub), Construct::sync_other);
      key.wait = true;
      return key;
    }
    case RecordKind::reduction:
      return at(Construct::reduction);
    case RecordKind::work:
      return other(work_construct(r.sub), Construct::work_other);
    case RecordKind::masked:
      return at(Construct::masked);
    case RecordKind::mutex_acquire:
      return other(mutex_construct(r.sub), Construct::mutex_other);
    case RecordKind::mutex_released:
      return other(release_construct(r.sub), Construct::mutex_other);
    case RecordKind::lock_init:
      return at(r.sub >= mutex_kind::nest_lock ? Construct::init_nest_lock : Construct::init_lock);
    case RecordKind::lock_destroy:
      return at(r.sub >= mutex_kind::nest_lock ? Construct::destroy_nest_lock : Construct::destroy_lock);
    case RecordKind::nest_lock:
      return at(Construct::unset_nest_lock);
    case RecordKind::flush:
      return at(Construct::flush);
    case RecordKind::cancel:
      return at(Construct::cancel);
    case RecordKind::error:
      return at(Construct::error);
    case RecordKind::control_tool:
      return at(Construct::control_tool);
    case RecordKind::target:
      return other(target_construct(r.sub), Construct::target_other);
    case RecordKind::target_data_op: {
      const Construct c = data_op_construct(r.sub);
      return RegionKey{0, c, false, c == Construct::data_other ? r.sub : std::uint16_t{0}};
    }
    case RecordKind::target_submit:
      return RegionKey{0, Construct::target_submit, false, 0};
    case RecordKind::task_dependence:
      return RegionKey{0, Construct::task_dependence, false, 0};
    case RecordKind::lost:
      return RegionKey{0, Construct::lost_events, false, 0};
    case RecordKind::mpi_call:
    case RecordKind::mpi_send:
    case RecordKind::mpi_request:
    case RecordKind::mpi_rma:
    case RecordKind::mpi_io:
      return r.endpoint == Endpoint::begin ? RegionKey{r.c, Construct::mpi, false, r.sub} : RegionKey{};
    default:
      return {};
  }
}

}  // namespace tracer::translate
