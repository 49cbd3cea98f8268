// SPDX-License-Identifier: BSD-3-Clause
// A program with an OpenMP runtime of its own that has device tracing: two threads offload to two fake devices. The
// tool is the one that OMP_TOOL_LIBRARIES names; without it the program runs on its own.
// Usage: fake_offload [STEPS]
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "device/offload_runtime.hpp"
#include "support/fake_device/fake_device.hpp"

namespace {

using namespace tracer::test;

struct Thread {
  FakeDevice& device;
  std::uint64_t address;
  ompt_data_t data{}, task{}, parallel{};

  void data_op(ompt_data_t* target, ompt_target_data_op_t optype, std::uint64_t bytes) {
    const bool from = optype == ompt_target_data_transfer_from_device || optype == ompt_target_data_delete;
    const int number = device.options.number;
    Operation op;
    op.type = ompt_callback_target_data_op;
    op.optype = optype;
    op.bytes = bytes;
    op.source = from ? address : 0x1000;
    op.destination = from ? 0x1000 : address;
    op.source_device = from ? number : -1;
    op.destination_device = from ? -1 : number;
    op.target_id = target->value;
    op.duration = 500;
    ompt_id_t id = 0;
    const auto tell = [&](ompt_scope_endpoint_t endpoint) {
      call<ompt_callback_target_data_op_emi_t>(
          ompt_callback_target_data_op_emi, endpoint, nullptr, target, &id, optype, reinterpret_cast<void*>(op.source),
          op.source_device, reinterpret_cast<void*>(op.destination), op.destination_device, bytes, here());
    };
    tell(ompt_scope_begin);
    op.host_op_id = id;
    device.run(op);
    tell(ompt_scope_end);
  }

  void kernel(ompt_data_t* target) {
    ompt_id_t id = 0;
    call<ompt_callback_target_submit_emi_t>(ompt_callback_target_submit_emi, ompt_scope_begin, target, &id, 4u);
    Operation op;
    op.host_op_id = id;
    op.target_id = target->value;
    op.requested_teams = 4;
    op.granted_teams = 2;
    op.duration = 2000;
    device.run(op);
    call<ompt_callback_target_submit_emi_t>(ompt_callback_target_submit_emi, ompt_scope_end, target, &id, 4u);
  }

  void target_region() {
    ompt_data_t target{};
    const auto tell = [&](ompt_scope_endpoint_t endpoint) {
      call<ompt_callback_target_emi_t>(ompt_callback_target_emi, ompt_target, endpoint, device.options.number, &task,
                                       nullptr, &target, here());
      device.target(endpoint, target.value);
    };
    tell(ompt_scope_begin);
    data_op(&target, ompt_target_data_alloc, 256);
    data_op(&target, ompt_target_data_transfer_to_device, 256);
    kernel(&target);
    data_op(&target, ompt_target_data_transfer_from_device, 128);
    data_op(&target, ompt_target_data_delete, 0);
    tell(ompt_scope_end);
  }

  void run(unsigned steps) {
    call<ompt_callback_thread_begin_t>(ompt_callback_thread_begin, ompt_thread_initial, &data);
    call<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, ompt_scope_begin, &parallel, &task, 1u, 1u,
                                        static_cast<int>(ompt_task_initial));
    for (unsigned i = 0; i < steps; ++i) target_region();
    call<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, ompt_scope_end, nullptr, &task, 0u, 1u,
                                        static_cast<int>(ompt_task_initial));
    call<ompt_callback_thread_end_t>(ompt_callback_thread_end, &data);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const unsigned steps = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 100;
  VirtualClock::be_real();
  auto* tool = start_tool();
  const auto first = make_standard_device({0, {3600ull * 1'000'000'000, 100}, {}, false, true});
  const auto second = make_amd_device({1, {7, -100}, {}, false, true});
  for (auto* device : {first.get(), second.get()}) {
    call<ompt_callback_device_initialize_t>(ompt_callback_device_initialize, device->options.number, "gfx90a",
                                            device->handle(),
                                            reinterpret_cast<ompt_function_lookup_t>(device->lookup()), "a fake");
  }
  Thread one{*first, 0xd0000000}, two{*second, 0xe0000000};
  std::thread other([&] { two.run(steps); });
  one.run(steps);
  other.join();
  for (int number : {0, 1}) call<ompt_callback_device_finalize_t>(ompt_callback_device_finalize, number);
  if (tool) tool->finalize(&tool->tool_data);
  if (first->violations + second->violations) std::printf("violations of the interface\n");
  const unsigned n = 2 * steps;
  std::printf("kernels %u\n", n);
  std::printf("bytes to device %u\nbytes from device %u\n", 256 * n, 128 * n);
  return 0;
}
