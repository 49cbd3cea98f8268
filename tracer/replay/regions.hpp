// SPDX-License-Identifier: BSD-3-Clause
// What a region means for a report: its construct and what a thread does while it is in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::report {

/// What a thread does at a moment. Everything but `work` is time that the program's code does not get.
enum class Activity : std::uint8_t {
  work,
  barrier,    ///< waits at an explicit or implicit barrier
  task_wait,  ///< waits in taskwait or taskgroup
  lock_wait,  ///< waits for a lock, critical, ordered or atomic
  runtime,    ///< creates tasks, combines reductions, waits for the tracer
  device,     ///< inside a target construct: waits for a device, a transfer, an allocation
  mpi,        ///< inside a function of MPI
  idle,       ///< outside of all regions: a worker without work
  count_
};
const char* name_of(Activity activity) noexcept;
/// Waiting for other threads.
constexpr bool is_waiting(Activity activity) noexcept {
  return activity == Activity::barrier || activity == Activity::task_wait || activity == Activity::lock_wait;
}
/// What a chain of work goes through: with any number of threads it would take as long.
constexpr bool is_on_path(Activity activity) noexcept {
  return activity == Activity::work || activity == Activity::runtime || activity == Activity::device ||
         activity == Activity::mpi;
}

/// The directive that a region belongs to, for those that reports treat specially.
enum class Directive : std::uint8_t {
  other,
  function,
  parallel,
  loop,
  sections,
  single,
  workshare,
  masked,
  barrier,
  implicit_barrier,
  task,
  task_create,
  task_wait,
  task_group,
  task_dependence,
  cancel,
  fulfill_event,
  lock,
  mpi,
  target,
  target_data,
  target_submit,
  kernel,
  transfer,
};

constexpr bool is_barrier(Directive directive) noexcept {
  return directive == Directive::barrier || directive == Directive::implicit_barrier;
}
/// Whose work the members of a team share.
constexpr bool is_shared(Directive directive) noexcept {
  return directive == Directive::loop || directive == Directive::sections || directive == Directive::workshare;
}

struct RegionClass {
  Directive construct = Directive::other;
  Activity activity = Activity::work;
  std::string label;     ///< "parallel", "for", "barrier", ...: the name without "!$omp" and place
  std::string location;  ///< "stencil.c:42", "" unknown
};

/// Whether a region's role names a construct of OpenMP. Other paradigms use the same roles for functions of their own:
/// malloc allocates, a barrier of CUDA is no team's.
constexpr bool has_openmp_roles(Paradigm paradigm) noexcept {
  return paradigm == Paradigm::openmp || paradigm == Paradigm::openmp_target || paradigm == Paradigm::ompss ||
         paradigm == Paradigm::unknown;
}
/// Whether its calls are for devices.
constexpr bool is_of_devices(Paradigm paradigm) noexcept {
  return paradigm == Paradigm::cuda || paradigm == Paradigm::hip || paradigm == Paradigm::opencl ||
         paradigm == Paradigm::openacc;
}
constexpr bool is_barrier(RegionRole role) noexcept {
  return role == RegionRole::barrier || role == RegionRole::implicit_barrier;
}

RegionClass classify(const Region& region);

/// Which regions of device streams are kernels: those of that role. Archives that use it for none (those of OTF2 3.0,
/// which has no such role: ours, Score-P's) have it for all that are no allocation, no copy, no overhead and no
/// waiting.
class KernelRegions {
 public:
  explicit KernelRegions(const Definitions& definitions);
  bool operator()(RegionRef region) const { return region < is_kernel_.size() && is_kernel_[region]; }

 private:
  std::vector<bool> is_kernel_;
};

std::vector<RegionClass> classify(const Definitions& definitions);

}  // namespace tracer::report
