// SPDX-License-Identifier: BSD-3-Clause
// See declared_dependences.hpp.
#include "tracer/replay/declared_dependences.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace tracer::report {
namespace {

/// Stands for all memory, as a variable: a task that names omp_all_memory writes it, all others that name something
/// read it.
constexpr std::uint64_t all_memory = ~std::uint64_t{0};

}  // namespace

DeclaredDependences::DeclaredDependences(const Definitions& definitions) {
  constexpr std::string_view prefix = "DEPEND_";
  for (std::size_t i = 0; i < definitions.attributes.size(); ++i) {
    std::string_view name = definitions.attributes[i].name;
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    // The n-th of a kind ends by its number, as in DEPEND_IN_2.
    if (const std::size_t digits = name.find_last_not_of("0123456789"); digits + 1 < name.size())
      name = name.substr(0, digits);
    const auto ref = static_cast<std::uint32_t>(i);
    if (name == "IN") kinds_[ref] = Kind::in;
    if (name == "OUT" || name == "INOUT") kinds_[ref] = Kind::out;
    if (name == "MUTEXINOUTSET") kinds_[ref] = Kind::mutual;
    if (name == "INOUTSET") kinds_[ref] = Kind::set;
    if (name != "OUT_ALL_MEMORY" && name != "INOUT_ALL_MEMORY") continue;
    kinds_[ref] = Kind::all;
    names_all_ = true;
  }
}

/// Those of other variables may be the same tasks; those of one variable are in the order of their creation.
void DeclaredDependences::add_open(const std::vector<Entry>& entries, const Task& but, std::vector<Task*>& tasks) {
  const auto others = static_cast<std::ptrdiff_t>(tasks.size());
  for (const Entry& entry : entries) {
    const auto end = tasks.begin() + others;
    const bool is_there = std::find(tasks.begin(), end, entry.task) != end;
    if (entry.is_open() && entry.task != &but && !is_there && (tasks.empty() || tasks.back() != entry.task))
      tasks.push_back(entry.task);
  }
}

void DeclaredDependences::declare(Task& task, Kind kind, std::uint64_t address) {
  if (variables_.size() >= look_at_) forget_complete();
  const Task* const parent = task.parent.get();
  Variable& variable = variables_[{parent, parent == nullptr ? 0 : parent->number, address}];
  const bool joins = variable.kind == kind && kind != Kind::out;
  if (!joins) {
    variable.before.swap(variable.last);
    variable.last.clear();
    variable.kind = kind;
  }
  const auto gone = [](const Entry& entry) { return !entry.is_open(); };
  variable.before.erase(std::remove_if(variable.before.begin(), variable.before.end(), gone), variable.before.end());
  add_open(variable.before, task, found_);
  if (variable.last.size() == variable.last.capacity())  // many readers of what nothing writes
    variable.last.erase(std::remove_if(variable.last.begin(), variable.last.end(), gone), variable.last.end());
  variable.last.push_back({&task, task.number});
}

std::span<Task* const> DeclaredDependences::predecessors(Task& task, std::span<const EventAttribute> attributes) {
  found_.clear();
  bool names_some = false, names_all = false;
  for (const EventAttribute& attribute : attributes) {
    const auto kind = kinds_.find(attribute.attribute);
    if (kind == kinds_.end()) continue;
    const bool is_all = kind->second == Kind::all;
    names_some = true;
    names_all = names_all || is_all;
    if (!is_all) declare(task, kind->second, attribute.value);
  }
  if (names_all_ && names_some) declare(task, names_all ? Kind::out : Kind::in, all_memory);
  return found_;
}

void DeclaredDependences::forget_complete() {
  const auto is_open = [](const Entry& entry) { return entry.is_open(); };
  for (auto at = variables_.begin(); at != variables_.end();) {
    const Variable& variable = at->second;
    const bool stays = std::any_of(variable.last.begin(), variable.last.end(), is_open) ||
                       std::any_of(variable.before.begin(), variable.before.end(), is_open);
    at = stays ? std::next(at) : variables_.erase(at);
  }
  look_at_ = std::max<std::size_t>(1024, 2 * variables_.size());
}

}  // namespace tracer::report
