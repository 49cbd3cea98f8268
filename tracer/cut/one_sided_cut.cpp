// SPDX-License-Identifier: BSD-3-Clause
// See one_sided_cut.hpp.
#include "tracer/cut/one_sided_cut.hpp"

namespace tracer::report {

bool OneSidedCut::has_beginning(std::uint32_t process, const Event& event) {
  const OnWindow operation{process, event.sub, event.b};
  switch (event.type) {
    case EventType::mpi_rma_put:
    case EventType::mpi_rma_get:
    case EventType::mpi_rma_atomic:
      operations_.insert(operation);
      return true;
    case EventType::mpi_rma_complete_here:
      return is_complete_here(operation);
    case EventType::mpi_rma_test:
      return operations_.contains(operation);
    case EventType::mpi_rma_complete_there:
      return operations_.erase(operation) != 0;
    case EventType::mpi_rma_request_lock:
    case EventType::mpi_rma_acquire_lock:
    case EventType::mpi_rma_release_lock:
      return follow_lock({process, event.sub, event.ref}, event.type);
    case EventType::mpi_window_destroy:
      forget(process, event.sub);
      return true;
    default:
      return true;
  }
}

/// It may be complete at the remote rank later, or that is not recorded: the last ones are remembered.
bool OneSidedCut::is_complete_here(const OnWindow& operation) {
  if (!operations_.contains(operation)) return false;
  here_.push_back(operation);
  if (here_.size() > most_here) {
    operations_.erase(here_.front());
    here_.pop_front();
  }
  return true;
}

/// A release follows the acquisition, or the request where no acquisition is recorded (Score-P records none).
bool OneSidedCut::follow_lock(const OnWindow& which, EventType type) {
  Lock& lock = locks_[which];
  if (type == EventType::mpi_rma_request_lock) {
    ++lock.requested;
    return true;
  }
  const bool is_acquisition = type == EventType::mpi_rma_acquire_lock;
  std::uint64_t& ended = is_acquisition || lock.acquired == 0 ? lock.requested : lock.acquired;
  if (ended == 0) return false;
  --ended;
  if (is_acquisition) ++lock.acquired;
  return true;
}

/// Of operations that are complete here only there is no other end.
void OneSidedCut::forget(std::uint32_t process, std::uint16_t window) {
  const OnWindow first{process, window, 0}, last{process, window, ~std::uint64_t{0}};
  operations_.erase(operations_.lower_bound(first), operations_.upper_bound(last));
  locks_.erase(locks_.lower_bound(first), locks_.upper_bound(last));
}

}  // namespace tracer::report
