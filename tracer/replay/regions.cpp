// SPDX-License-Identifier: BSD-3-Clause
// Classifies constructs by role and name, for traces of this tool and of others that follow the same conventions.
#include "tracer/replay/regions.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "tracer/value_table.hpp"

namespace tracer::report {
namespace {

/// Of a paradigm whose roles are not OpenMP's. A wrapper is around what the program calls; what runs on a device has
/// other roles.
Directive construct_of_other(const Region& region) {
  using enum RegionRole;
  static constexpr ValueTable<RegionRole, Directive, 64> directives{
      Directive::other, {{kernel, Directive::kernel}, {function, Directive::function}}};
  static constexpr ValueTable<RegionRole, Directive, 64> of_devices{Directive::other,
                                                                    {{wrapper, Directive::target},
                                                                     {rma, Directive::target},
                                                                     {barrier, Directive::target},
                                                                     {implicit_barrier, Directive::target},
                                                                     {allocate, Directive::target_data},
                                                                     {deallocate, Directive::target_data},
                                                                     {data_transfer, Directive::target_data},
                                                                     {kernel, Directive::kernel},
                                                                     {function, Directive::function}}};
  return is_of_devices(region.paradigm) ? of_devices[region.role] : directives[region.role];
}

Directive construct_of(const Region& region, std::string_view label) {
  if (region.paradigm == Paradigm::mpi) return Directive::mpi;
  if (label.starts_with("target submit")) return Directive::target_submit;
  if (label.starts_with("target") && region.role != RegionRole::task && region.role != RegionRole::task_create) {
    return region.role == RegionRole::allocate || region.role == RegionRole::deallocate ||
                   region.role == RegionRole::data_transfer
               ? Directive::target_data
               : Directive::target;
  }
  if (label.starts_with("taskgroup")) return Directive::task_group;
  if (label.starts_with("task dependence")) return Directive::task_dependence;
  if (label == "cancel") return Directive::cancel;
  if (label == "fulfill event") return Directive::fulfill_event;
  if (label.starts_with("omp_set") || label.starts_with("omp_test")) return Directive::lock;
  if (!has_openmp_roles(region.paradigm)) return construct_of_other(region);
  using enum RegionRole;
  static constexpr ValueTable<RegionRole, Directive, 64> directives{Directive::other,
                                                                    {{parallel, Directive::parallel},
                                                                     {loop, Directive::loop},
                                                                     {sections, Directive::sections},
                                                                     {single, Directive::single},
                                                                     {workshare, Directive::workshare},
                                                                     {master, Directive::masked},
                                                                     {barrier, Directive::barrier},
                                                                     {implicit_barrier, Directive::implicit_barrier},
                                                                     {task, Directive::task},
                                                                     {task_untied, Directive::task},
                                                                     {task_create, Directive::task_create},
                                                                     {task_wait, Directive::task_wait},
                                                                     {critical, Directive::lock},
                                                                     {ordered, Directive::lock},
                                                                     {atomic, Directive::lock},
                                                                     {allocate, Directive::target_data},
                                                                     {deallocate, Directive::target_data},
                                                                     {data_transfer, Directive::target_data},
                                                                     {kernel, Directive::kernel},
                                                                     {function, Directive::function}}};
  return directives[region.role];
}

Activity activity_of(Directive construct, const Region& region) {
  using enum Directive;
  static constexpr ValueTable<Directive, Activity, 32> activities{Activity::work,
                                                                  {{barrier, Activity::barrier},
                                                                   {implicit_barrier, Activity::barrier},
                                                                   {task_wait, Activity::task_wait},
                                                                   {task_group, Activity::task_wait},
                                                                   {lock, Activity::lock_wait},
                                                                   {mpi, Activity::mpi},
                                                                   {target, Activity::device},
                                                                   {target_data, Activity::device},
                                                                   {target_submit, Activity::device},
                                                                   {task_create, Activity::runtime},
                                                                   {task_dependence, Activity::runtime}}};
  const bool is_runtimes = has_openmp_roles(region.paradigm) &&
                           (region.role == RegionRole::coll_all2one || region.role == RegionRole::flush);
  const Activity known = activities[construct];
  return known == Activity::work && is_runtimes ? Activity::runtime : known;
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
  // The first one: files may have more.
  if (const std::size_t at = name.find(" @"); directive && at != std::string_view::npos) {
    result.location = name.substr(at + 2);
    name = name.substr(0, at);
    while (name.ends_with(' ')) name.remove_suffix(1);
  }
  result.label = region.paradigm == Paradigm::mpi ? std::string_view{region.canonical} : name;
  result.construct = construct_of(region, directive || name.starts_with("omp_") ? name : std::string_view{});
  result.activity = activity_of(result.construct, region);
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
