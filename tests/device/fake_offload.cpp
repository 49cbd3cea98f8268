// SPDX-License-Identifier: BSD-3-Clause
// A program with an OpenMP runtime of its own that has device tracing: two threads offload to two fake devices. The
// tool is the one that OMP_TOOL_LIBRARIES names; without it the program runs on its own.
// Usage: fake_offload [STEPS [PAUSE_US KERNEL_US]]
// With a pause between steps it has 1 MiB on each device for the whole run. After half of the steps it prints "ready"
// and waits for a line.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "device/offload_runtime.hpp"
#include "support/fake_device/fake_device.hpp"

namespace {

using namespace tracer::test;

struct Pace {
  std::chrono::microseconds pause{0}, kernel{2};
};

/// Where all threads wait for a line.
class Halfway {
 public:
  void wait(bool reads) {
    ++here_;
    while (here_ < 2) rest();
    if (reads) {
      std::puts("ready");
      std::fflush(stdout);
      (void)std::getchar();
      goes_on_ = true;
    }
    while (!goes_on_) rest();
  }

 private:
  static void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }
  std::atomic<int> here_{0};
  std::atomic<bool> goes_on_{false};
};

struct Thread {
  FakeDevice& device;
  std::uint64_t address;
  Pace pace;
  Halfway& halfway;
  ompt_data_t data{}, task{}, parallel{};

  void data_op(ompt_data_t* target, ompt_target_data_op_t optype, std::uint64_t bytes, std::uint64_t offset = 0) {
    const bool from = optype == ompt_target_data_transfer_from_device || optype == ompt_target_data_delete;
    const int number = device.options.number;
    Operation op;
    op.type = ompt_callback_target_data_op;
    op.optype = optype;
    op.bytes = bytes;
    op.source = from ? address + offset : 0x1000;
    op.destination = from ? 0x1000 : address + offset;
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
    op.duration = static_cast<std::uint64_t>(std::chrono::nanoseconds(pace.kernel).count());
    device.run(op);
    call<ompt_callback_target_submit_emi_t>(ompt_callback_target_submit_emi, ompt_scope_end, target, &id, 4u);
  }

  template <class Body>
  void construct(ompt_target_t kind, const Body& body) {
    ompt_data_t target{};
    const auto tell = [&](ompt_scope_endpoint_t endpoint) {
      call<ompt_callback_target_emi_t>(ompt_callback_target_emi, kind, endpoint, device.options.number, &task, nullptr,
                                       &target, here());
      device.target(endpoint, target.value);
    };
    tell(ompt_scope_begin);
    body(&target);
    tell(ompt_scope_end);
  }
  void target_region() {
    construct(ompt_target, [this](ompt_data_t* target) {
      data_op(target, ompt_target_data_alloc, 256);
      data_op(target, ompt_target_data_transfer_to_device, 256);
      kernel(target);
      data_op(target, ompt_target_data_transfer_from_device, 128);
      data_op(target, ompt_target_data_delete, 0);
    });
  }
  void keep(ompt_target_t kind, ompt_target_data_op_t optype) {
    constexpr std::uint64_t bytes = 1 << 20;
    construct(kind, [&](ompt_data_t* target) { data_op(target, optype, bytes, bytes); });
  }

  void run(unsigned steps) {
    call<ompt_callback_thread_begin_t>(ompt_callback_thread_begin, ompt_thread_initial, &data);
    call<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, ompt_scope_begin, &parallel, &task, 1u, 1u,
                                        static_cast<int>(ompt_task_initial));
    const bool is_paced = pace.pause.count() != 0;
    if (is_paced) keep(ompt_target_enter_data, ompt_target_data_alloc);
    for (unsigned i = 0; i < steps; ++i) {
      if (is_paced && i == steps / 2) halfway.wait(device.options.number == 0);
      target_region();
      std::this_thread::sleep_for(pace.pause);
    }
    if (is_paced) keep(ompt_target_exit_data, ompt_target_data_delete);
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
  const auto duration = [&](int which) { return std::chrono::microseconds(argc > which ? std::atoi(argv[which]) : 0); };
  const Pace pace = argc > 3 ? Pace{duration(2), duration(3)} : Pace{};
  Halfway halfway;
  Thread one{*first, 0xd0000000, pace, halfway}, two{*second, 0xe0000000, pace, halfway};
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
