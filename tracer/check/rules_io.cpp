// SPDX-License-Identifier: BSD-3-Clause
// E33: files are opened, read and written in order.
#include <array>
#include <map>
#include <string>

#include "tracer/check/rules_mpi.hpp"
#include "tracer/number_map.hpp"

namespace tracer::check {
namespace {

/// Handles and operations are a process's: any of its threads may end them. A handle is used again when it is closed,
/// and matching ids are unique in it while they are open. Handles that were there before the run, or are made of
/// others, are not judged.
class InputOutput final : public Rule {
 public:
  using Rule::Rule;
  bool wants(EventKind k) const override { return k >= EventKind::io_create_handle && k <= EventKind::io_try_lock; }
  void event(const EventView& e) override {
    applies();
    Process& process = processes_[process_of(d(), e.location)];
    switch (e.kind) {
      case EventKind::io_create_handle:
        return make(e, process);
      case EventKind::io_destroy_handle:
        return end(e, process);
      case EventKind::io_duplicate_handle:
        process.handles[e.field[1]] = 1;
        return;
      case EventKind::io_operation_begin:
        return begin(e, process);
      case EventKind::io_operation_issued:
      case EventKind::io_operation_test:
      case EventKind::io_operation_complete:
      case EventKind::io_operation_cancelled:
        return resume(e, process);
      case EventKind::io_delete_file:
        return;
      default:
        is_open(e, process);
    }
  }
  void finish() override {
    if (!is_whole(c_)) return;
    for (const auto& [id, process] : processes_)
      for (const auto& [key, begun] : process.operations)
        add_violation(begun.location, begun.time, "the operation " + std::to_string(key.second) + " is never complete");
  }

 private:
  struct Operation {
    std::uint64_t location = 0, time = 0, bytes = 0;
    bool is_issued = false;
  };
  struct Process {
    NumberMap<int> handles;                                                   ///< how often each is open
    std::map<std::pair<std::uint64_t, std::uint64_t>, Operation> operations;  ///< by handle and matching id
  };
  static std::string name_of(std::uint64_t handle) { return "the I/O handle " + std::to_string(handle); }

  bool is_there_before(std::uint64_t handle) const {
    constexpr std::uint32_t pre_created = 1, all_proxy = 2;  // OTF2_IoHandleFlag
    const auto* found = d().io_handles.find(handle);
    return found == nullptr || (found->flags & (pre_created | all_proxy)) != 0;
  }
  void make(const EventView& e, Process& process) {
    if (++process.handles[e.field[0]] > 1 && !is_there_before(e.field[0]))
      add_violation(e, name_of(e.field[0]) + " is made again while it is open");
  }
  void end(const EventView& e, Process& process) {
    int& open = process.handles[e.field[0]];
    if (open == 0 && !is_there_before(e.field[0]))
      return add_violation(e, name_of(e.field[0]) + " ends that was not made");
    open = 0;
    const auto first = process.operations.lower_bound({e.field[0], 0});
    if (first != process.operations.end() && first->first.first == e.field[0])
      add_violation(e, name_of(e.field[0]) + " ends before its operation " + std::to_string(first->first.second));
  }
  bool is_open(const EventView& e, Process& process) {
    if (process.handles[e.field[0]] != 0 || is_there_before(e.field[0])) return true;
    add_violation(e, "an event of " + name_of(e.field[0]) + " before it was made or after it ended");
    return false;
  }
  void begin(const EventView& e, Process& process) {
    if (!is_open(e, process)) return;
    constexpr std::uint64_t collective = 2, modes = 3;  // OTF2_IoOperationFlag, OTF2_IoOperationMode
    if (e.field[1] >= modes) add_violation(e, "there is no mode " + std::to_string(e.field[1]) + " of an operation");
    const auto* handle = d().io_handles.find(e.field[0]);
    if ((e.field[2] & collective) != 0 && handle != nullptr && handle->comm == undefined_ref)
      add_violation(e, "a collective operation on " + name_of(e.field[0]) + ", which has no communicator");
    const auto [at, is_new] = process.operations.insert_or_assign(std::pair{e.field[0], e.field[4]},
                                                                  Operation{e.location, e.time, e.field[3], false});
    if (!is_new) add_violation(e, "the matching id " + std::to_string(e.field[4]) + " is in use already");
  }
  void resume(const EventView& e, Process& process) {
    const std::uint64_t id = e.field[e.kind == EventKind::io_operation_complete ? 2 : 1];
    const auto found = process.operations.find({e.field[0], id});
    if (found == process.operations.end())
      return add_violation(e, "there is no operation " + std::to_string(id) + " on " + name_of(e.field[0]));
    Operation& operation = found->second;
    if (e.kind == EventKind::io_operation_issued) {
      if (operation.is_issued) add_violation(e, "the operation " + std::to_string(id) + " is issued already");
      operation.is_issued = true;
    } else if (e.kind != EventKind::io_operation_test) {
      if (e.kind == EventKind::io_operation_complete && e.field[1] > operation.bytes)
        add_violation(e, std::to_string(e.field[1]) + " bytes are moved, of " + std::to_string(operation.bytes));
      process.operations.erase(found);
    }
  }

  std::map<std::uint32_t, Process> processes_;
};

}  // namespace

std::span<const RuleEntry> io_rules() {
  static constexpr std::array table{
      RuleEntry{{"E33", "every opened file is closed once, and operations on it are complete"}, make_rule<InputOutput>},
  };
  return table;
}

}  // namespace tracer::check
