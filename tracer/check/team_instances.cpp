// SPDX-License-Identifier: BSD-3-Clause
// See team_instances.hpp.
#include "tracer/check/team_instances.hpp"

namespace tracer::check {

ForkInstance* OpenForks::innermost(std::uint64_t location) {
  auto& stack = stacks_[c_.index_of(location)];
  return stack.empty() ? nullptr : &stack.back();
}

void OpenForks::fork(const EventView& e) {
  stacks_[c_.index_of(e.location)].push_back(
      {.location = e.location, .forked = e.time, .position = e.position, .requested = e.field[1]});
}

void OpenForks::team_begin(const EventView& e) {
  auto* fork = innermost(e.location);
  if (fork == nullptr || fork->team != undefined_ref) return;
  fork->team = e.field[0];
  fork->team_open = true;
}

void OpenForks::team_end(const EventView& e) {
  auto* fork = innermost(e.location);
  if (fork != nullptr && fork->team == e.field[0]) fork->team_open = false;
}

bool OpenForks::join(const EventView& e) {
  auto& stack = stacks_[c_.index_of(e.location)];
  if (stack.empty()) return false;
  stack.back().joined = e.time;
  pending_.push_back(stack.back());
  stack.pop_back();
  return true;
}

void OpenForks::settle(std::uint64_t time, const std::function<void(const ForkInstance&)>& joined) {
  if (pending_.empty()) return;
  std::erase_if(pending_, [&](const ForkInstance& fork) {
    if (fork.joined >= time) return false;
    joined(fork);
    return true;
  });
}

}  // namespace tracer::check
