// SPDX-License-Identifier: BSD-3-Clause
// What a process' threads wait for devices, and what the process' thread does outside of teams that others idle beside.
#include <cstdint>

#include "tracer/report/measures/account.hpp"

namespace tracer::report {
namespace {

/// A function of a library for devices; those of OpenACC are constructs, which have a line.
bool is_device_call(const Region& region) {
  return is_of_devices(region.paradigm) && region.paradigm != Paradigm::openacc;
}

/// The region in which a thread waits for a device: the construct, whose line is more useful than the call of CUDA
/// inside it.
RegionRef region_of_device_wait(const Definitions& definitions, const Task& task) {
  for (auto frame = task.stack.rbegin(); frame != task.stack.rend() && frame->activity == Activity::device; ++frame)
    if (!is_device_call(definitions.regions[frame->region])) return frame->region;
  return task.stack.back().region;
}

}  // namespace

void Accountant::device_wait(State& state, const Task& task, std::uint64_t ns, std::uint64_t to) {
  const RegionRef region = region_of_device_wait(definitions_, task);
  add_detail(Place::device, region, undefined_ref, parallel_of(state), ns, to, 1);
  charge(state, Place::device, ns);
  if (!state.members.empty())
    state.members.back().spent.add(region, ns);
  else if (state.initial)
    process_of(state).device_regions[region] += ns;
}

bool Accountant::is_serial_mpi(const State& state, const Frame& frame) const {
  return state.initial && state.members.empty() && replay_.classes()[frame.region].construct == Directive::mpi;
}

/// The process' thread begins something, or ends it: in MPI, or for a device.
void Accountant::count_serial_call(State& state, const Frame& frame, std::int64_t amount, std::uint64_t time) {
  if (is_serial_mpi(state, frame)) process_of(state).count_mpi(amount, time);
  const bool is_serial = state.initial && state.members.empty();
  if (is_serial && frame.activity == Activity::device) process_of(state).count_device(amount, time);
}

}  // namespace tracer::report
