// SPDX-License-Identifier: BSD-3-Clause
// Tells constructs apart by role and name, for traces of this tool and of others that follow the same customs.
#include "tracer/replay/regions.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tracer::report {
namespace {

/// On a thread, around what the program calls; what runs on a device has other roles.
bool is_cuda_call(const Region& region) {
  return region.paradigm == Paradigm::cuda && region.role == RegionRole::wrapper;
}

Directive construct_of(const Region& region, std::string_view label) {
  if (region.paradigm == Paradigm::mpi) return Directive::mpi;
  if (is_cuda_call(region)) return Directive::target;
  if (label.starts_with("target submit")) return Directive::target_submit;
  if (label.starts_with("target") && region.role != RegionRole::task && region.role != RegionRole::task_create) {
    return region.role == RegionRole::allocate || region.role == RegionRole::deallocate ||
                   region.role == RegionRole::data_transfer
               ? Directive::target_data
               : Directive::target;
  }
  if (label.starts_with("taskgroup")) return Directive::task_group;
  if (label.starts_with("task dependence")) return Directive::task_dependence;
  if (label.starts_with("omp_set") || label.starts_with("omp_test")) return Directive::lock;
  switch (region.role) {
    case RegionRole::parallel:
      return Directive::parallel;
    case RegionRole::loop:
      return Directive::loop;
    case RegionRole::sections:
      return Directive::sections;
    case RegionRole::single:
      return Directive::single;
    case RegionRole::workshare:
      return Directive::workshare;
    case RegionRole::master:
      return Directive::masked;
    case RegionRole::barrier:
      return Directive::barrier;
    case RegionRole::implicit_barrier:
      return Directive::implicit_barrier;
    case RegionRole::task:
    case RegionRole::task_untied:
      return Directive::task;
    case RegionRole::task_create:
      return Directive::task_create;
    case RegionRole::task_wait:
      return Directive::task_wait;
    case RegionRole::critical:
    case RegionRole::ordered:
    case RegionRole::atomic:
      return Directive::lock;
    case RegionRole::allocate:
    case RegionRole::deallocate:
    case RegionRole::data_transfer:
      return Directive::target_data;
    case RegionRole::kernel:
      return Directive::kernel;
    case RegionRole::function:
      return Directive::function;
    default:
      return Directive::other;
  }
}

Activity activity_of(Directive construct, RegionRole role) {
  switch (construct) {
    case Directive::barrier:
    case Directive::implicit_barrier:
      return Activity::barrier;
    case Directive::task_wait:
    case Directive::task_group:
      return Activity::task_wait;
    case Directive::lock:
      return Activity::lock_wait;
    case Directive::mpi:
      return Activity::mpi;
    case Directive::target:
    case Directive::target_data:
    case Directive::target_submit:
      return Activity::device;
    case Directive::task_create:
    case Directive::task_dependence:
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

KernelRegions::KernelRegions(const Definitions& definitions) {
  const auto& regions = definitions.regions;
  const bool has_role = std::any_of(regions.begin(), regions.end(),
                                    [](const Region& region) { return region.role == RegionRole::kernel; });
  // CUPTI's records of waiting, by the names that they have here.
  const auto waits = [](std::string_view name) { return name.ends_with("synchronize") || name == "stream wait event"; };
  for (const Region& region : regions)
    is_kernel_.push_back(has_role ? region.role == RegionRole::kernel
                                  : region.role != RegionRole::allocate && region.role != RegionRole::deallocate &&
                                        region.role != RegionRole::data_transfer &&
                                        region.role != RegionRole::artificial && !waits(region.name));
}

}  // namespace tracer::report
