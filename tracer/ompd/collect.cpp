// SPDX-License-Identifier: BSD-3-Clause
// Fills a snapshot from OMPD, thread by thread. Every chain that memory leads us along has a bound.
#include <algorithm>

#include "tracer/ompd/llvm_locks.hpp"
#include "tracer/ompd/runtime.hpp"
#include "tracer/ompd/snapshot.hpp"

namespace tracer::ompd {
namespace {

constexpr std::size_t max_nesting = 1024, max_tasks = 256;
constexpr std::int64_t max_team = 65536;

class Collector {
 public:
  Collector(const RuntimeAccess& session, const CallStacks* stacks)
      : session_(session), space_(session.space()), stacks_(stacks) {
    icvs_ = space_.icvs();
    states_ = space_.states();
  }

  Snapshot all() {
    Snapshot result;
    result.process_id = session_.target().process_id();
    result.program = session_.target().executable();
    result.runtime = session_.runtime().path;
    if (const auto text = space_.omp_version_text()) result.runtime_version = *text;
    if (const auto number = space_.omp_version()) result.openmp_version = *number;
    result.plugin = session_.library().path();
    result.plugin_version = session_.library().version();
    result.api_version = session_.library().api_version();
    result.tracks_states = session_.tracks_states();
    result.icvs = icvs_of(space_.handle(), ompd_scope_address_space);
    result.control_variables = space_.display_control_variables();
    for (const std::uint64_t thread : session_.target().threads()) result.threads.push_back(thread_view(thread));
    return result;
  }

 private:
  ThreadView thread_view(std::uint64_t os_thread) {
    ThreadView view{.os_thread = os_thread};
    if (stacks_ != nullptr) {
      for (const std::uint64_t address : stacks_->addresses(os_thread)) view.stack.push_back({.address = address});
    }
    const auto thread = space_.thread(os_thread);
    if (!thread) {
      view.activity = Activity::no_openmp;
      return view;
    }
    view.number = global_number(os_thread);
    view.activity = Activity::unknown;
    add_state(*thread, view);
    view.icvs = icvs_of(thread->get(), ompd_scope_thread);
    add_regions(*thread, view);
    add_tasks(*thread, view);
    return view;
  }

  /// LLVM's own number of the thread, for what OMPD does not provide: who owns a lock.
  std::int64_t global_number(std::uint64_t os_thread) const {
    const auto symbol = session_.runtime().file->find("__kmp_gtid");
    if (!symbol || !symbol->thread_local_storage) return 0;
    const auto address = space_.context().thread_locals->address(os_thread, session_.runtime(), symbol->value);
    return address ? session_.target().value<std::int32_t>(*address).value_or(0) : 0;
  }

  void add_state(const ThreadHandle& thread, ThreadView& view) {
    const auto state = space_.state(thread);
    if (!state) return;
    view.state = state->state;
    view.wait_id = state->wait_id;
    for (const auto& [number, name] : states_) {
      if (number == state->state) view.state_name = name;
    }
    const auto lock = lock_owner(session_.target(), state->wait_id);
    if (lock.known) view.lock = state->wait_id;
    view.owner = lock.owner;
  }

  void add_regions(const ThreadHandle& thread, ThreadView& view) {
    auto region = space_.current_region(thread);
    ThreadHandle ancestor;  // the member of the outer team that made the inner one; none: the thread itself
    while (region && view.regions.size() < max_nesting) {
      view.regions.push_back(region_view(*region, ancestor ? ancestor : thread));
      view.regions.back().member = !ancestor || space_.same(ancestor, thread);
      auto next = space_.enclosing(*region);
      if (auto first = space_.thread_in(*region, 0)) ancestor = std::move(first.value);
      view.regions.back().team = team_number(std::move(region.value));
      region = std::move(next);
    }
  }

  RegionView region_view(const ParallelHandle& region, const ThreadHandle& thread) {
    RegionView view;
    view.team_size = parallel_icv(region, "team-size-var");
    view.level = parallel_icv(region, "levels-var");
    view.active_level = parallel_icv(region, "active-levels-var");
    for (int i = 0; i < std::min(view.team_size, max_team); ++i) {
      const auto member = space_.thread_in(region, i);
      if (!member || !space_.same(*member, thread)) continue;
      view.thread_number = i;
      break;
    }
    // Level 0 is the program outside of all regions: it has no body.
    const auto task = view.thread_number < 0 || view.level == 0
                          ? Answer<TaskHandle>{{}, ompd_rc_unavailable}
                          : space_.implicit_task(region, static_cast<int>(view.thread_number));
    if (task) {
      const auto function = space_.function(*task);
      if (function && *function != 0) view.function = Position{.address = *function};
    }
    return view;
  }

  void add_tasks(const ThreadHandle& thread, ThreadView& view) {
    auto task = space_.current_task(thread);
    while (task && view.tasks.size() < max_tasks) {
      view.tasks.push_back(task_view(*task));
      task = space_.generating(*task);
    }
  }

  TaskView task_view(const TaskHandle& task) {
    TaskView view;
    if (auto region = space_.region_of(task)) view.team = team_number(std::move(region.value));
    for (const IcvDefinition& icv : icvs_) {
      if (icv.scope != ompd_scope_task) continue;
      if (icv.name == "implicit-task-var") {
        if (const auto value = space_.icv(task.get(), icv)) view.implicit = *value != 0;
      } else if (icv.name == "final-task-var") {
        if (const auto value = space_.icv(task.get(), icv)) view.final = *value != 0;
      }
    }
    const auto function = space_.function(task);
    if (function && *function != 0) view.function = Position{.address = *function};
    if (const auto frames = space_.frames(task)) view.frames = {frames->exit, frames->enter};
    if (const auto data = space_.tool_data(task.get(), ompd_scope_task)) view.tool_data = *data;
    return view;
  }

  std::int64_t parallel_icv(const ParallelHandle& region, const char* name) const {
    for (const IcvDefinition& icv : icvs_) {
      if (icv.scope != ompd_scope_parallel || icv.name != name) continue;
      const auto value = space_.icv(region.get(), icv);
      return value ? *value : -1;
    }
    return -1;
  }

  /// LLVM lists some twice, with "ompd-" before the name.
  std::vector<NamedText> icvs_of(void* handle, ompd_scope_t scope) const {
    std::vector<NamedText> result;
    for (const IcvDefinition& icv : icvs_) {
      if (icv.scope != scope || icv.name.starts_with("ompd-")) continue;
      if (const auto text = space_.icv_text(handle, icv)) result.push_back({icv.name, *text});
    }
    return result;
  }

  /// From 1, in the order of appearance.
  std::size_t team_number(ParallelHandle&& region) {
    for (std::size_t i = 0; i < teams_.size(); ++i) {
      if (space_.same(teams_[i], region)) return i + 1;
    }
    teams_.push_back(std::move(region));
    return teams_.size();
  }

  const RuntimeAccess& session_;
  const AddressSpace& space_;
  const CallStacks* stacks_;
  std::vector<IcvDefinition> icvs_;
  std::vector<std::pair<ompd_word_t, std::string>> states_;
  std::vector<ParallelHandle> teams_;
};

}  // namespace

Snapshot collect_stacks(const Target& target, const CallStacks& stacks) {
  Snapshot result;
  result.process_id = target.process_id();
  result.program = target.executable();
  result.only_stacks = true;
  for (const std::uint64_t thread : target.threads()) {
    ThreadView view{.os_thread = thread};
    for (const std::uint64_t address : stacks.addresses(thread)) view.stack.push_back({.address = address});
    result.threads.push_back(std::move(view));
  }
  return result;
}

Snapshot collect(const RuntimeAccess& session, const CallStacks* stacks) {
  return Collector(session, stacks).all();
}

}  // namespace tracer::ompd
