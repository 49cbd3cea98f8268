// SPDX-License-Identifier: BSD-3-Clause
// Tells constructs apart by role and name, for traces of this tool and of others that follow the same customs.
#include "tracer/report/regions.hpp"

#include <string_view>

namespace tracer::report {
namespace {

Construct construct_of(const Region& region, std::string_view label) {
  if (region.paradigm == Paradigm::mpi) return Construct::mpi;
  if (label.starts_with("target submit")) return Construct::target_submit;
  if (label.starts_with("target") && region.role != RegionRole::task && region.role != RegionRole::task_create) {
    return region.role == RegionRole::allocate || region.role == RegionRole::deallocate ||
                   region.role == RegionRole::data_transfer
               ? Construct::target_data
               : Construct::target;
  }
  if (label.starts_with("taskgroup")) return Construct::task_group;
  if (label.starts_with("task dependence")) return Construct::task_dependence;
  if (label.starts_with("omp_set") || label.starts_with("omp_test")) return Construct::lock;
  switch (region.role) {
    case RegionRole::parallel:
      return Construct::parallel;
    case RegionRole::loop:
      return Construct::loop;
    case RegionRole::sections:
      return Construct::sections;
    case RegionRole::single:
      return Construct::single;
    case RegionRole::workshare:
      return Construct::workshare;
    case RegionRole::master:
      return Construct::masked;
    case RegionRole::barrier:
      return Construct::barrier;
    case RegionRole::implicit_barrier:
      return Construct::implicit_barrier;
    case RegionRole::task:
    case RegionRole::task_untied:
      return Construct::task;
    case RegionRole::task_create:
      return Construct::task_create;
    case RegionRole::task_wait:
      return Construct::task_wait;
    case RegionRole::critical:
    case RegionRole::ordered:
    case RegionRole::atomic:
      return Construct::lock;
    case RegionRole::allocate:
    case RegionRole::deallocate:
    case RegionRole::data_transfer:
      return Construct::target_data;
    case RegionRole::kernel:
      return Construct::kernel;
    case RegionRole::function:
      return Construct::function;
    default:
      return Construct::other;
  }
}

Activity activity_of(Construct construct, RegionRole role) {
  switch (construct) {
    case Construct::barrier:
    case Construct::implicit_barrier:
      return Activity::barrier;
    case Construct::task_wait:
    case Construct::task_group:
      return Activity::task_wait;
    case Construct::lock:
      return Activity::lock_wait;
    case Construct::mpi:
      return Activity::mpi;
    case Construct::target:
    case Construct::target_data:
    case Construct::target_submit:
      return Activity::device;
    case Construct::task_create:
    case Construct::task_dependence:
      return Activity::runtime;
    default:
      break;
  }
  return role == RegionRole::coll_all2one || role == RegionRole::flush ? Activity::runtime : Activity::work;
}

}  // namespace

const char* name_of(Activity activity) noexcept {
  constexpr const char* names[] = {"work", "barrier", "task_wait", "lock_wait", "runtime", "device", "mpi", "idle"};
  static_assert(sizeof names / sizeof names[0] == static_cast<std::size_t>(Activity::count_));
  return names[static_cast<std::size_t>(activity)];
}

RegionClass classify(const Region& region) {
  RegionClass result;
  std::string_view name = region.canonical.starts_with("!$omp ") ? region.canonical : region.name;
  const bool directive = name.starts_with("!$omp ");
  if (directive) name.remove_prefix(6);
  if (const std::size_t at = name.rfind('@'); directive && at != std::string_view::npos) {
    result.location = name.substr(at + 1);
    name = name.substr(0, at);
    while (name.ends_with(' ')) name.remove_suffix(1);
  }
  result.label = region.paradigm == Paradigm::mpi ? std::string_view{region.canonical} : name;
  result.construct = construct_of(region, directive || name.starts_with("omp_") ? name : std::string_view{});
  result.activity = activity_of(result.construct, region.role);
  return result;
}

std::vector<RegionClass> classify(const Definitions& definitions) {
  std::vector<RegionClass> classes;
  classes.reserve(definitions.regions.size());
  for (const Region& region : definitions.regions) classes.push_back(classify(region));
  return classes;
}

}  // namespace tracer::report
