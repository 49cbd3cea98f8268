// SPDX-License-Identifier: BSD-3-Clause
// Who is taken for a device, and what the journal says about it.
#include "catch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "device/program.hpp"
#include "device/select/select.hpp"

using namespace tracer;
using namespace tracer::test;
using device::Choice;
using device::DeviceOptions;
using device::Devices;

namespace {

DeviceOptions options_for(const char* choice) {
  DeviceOptions options;
  options.buffer_bytes = 16 << 10;
  options.clock = &VirtualClock::now;
  REQUIRE(options.set_choice(choice));
  return options;
}

void announce(Devices& devices, FakeDevice& device, const char* type = "gfx90a") {
  devices.initialize(device.options.number, type, device.handle(), device.lookup(), nullptr);
}

void (*no_entry_point(const char*))() {
  return nullptr;
}

}  // namespace

TEST_CASE("auto takes the runtime's device tracing where it is, and says so") {
  MemoryDeviceSink sink;
  Devices devices(sink, options_for("auto"));
  devices.prepare();
  const auto device = make_amd_device({});
  announce(devices, *device);
  devices.initialize(1, "generic-64bit", nullptr, &no_entry_point, "");
  CHECK(sink.devices.at(0).provider == DeviceProviderKind::ompt);
  CHECK(sink.devices.at(0).paradigm_hint == 2);
  CHECK(sink.devices.at(1).provider == DeviceProviderKind::host);
  CHECK(sink.devices.at(1).provider_reason.find("ompt_start_trace") != std::string::npos);
  Program program(sink);
  program.offload(0, *device, 20);
  devices.poll();
  devices.flush();
  devices.finalize(0);
  CHECK(sink.devices.at(0).finalized != 0);
  CHECK(sink.all.size() == device->delivered);
  CHECK(device->delivered == 5 * 20);
  devices.finish();
  devices.finish();
  CHECK(device->violations == 0);
}

TEST_CASE("TRACER_DEVICE names the provider; what it cannot do the host does, with the reason") {
  const auto device = make_standard_device({});
  MemoryDeviceSink sink;
  SECTION("host") {
    Devices devices(sink, options_for("host"));
    announce(devices, *device);
    CHECK(sink.devices.at(0).provider == DeviceProviderKind::host);
    CHECK_FALSE(device->written > 0);
  }
  SECTION("off") {
    Devices devices(sink, options_for("off"));
    announce(devices, *device);
    CHECK(sink.devices.at(0).provider == DeviceProviderKind::none);
    CHECK(sink.devices.at(0).provider_reason.find("off") != std::string::npos);
  }
  SECTION("cupti for a device that is not NVIDIA's") {
    Devices devices(sink, options_for("cupti"));
    announce(devices, *device);
    CHECK(sink.devices.at(0).provider == DeviceProviderKind::host);
    CHECK(sink.devices.at(0).provider_reason.find("cupti") != std::string::npos);
  }
  SECTION("nonsense is refused") {
    DeviceOptions options;
    CHECK_FALSE(options.set_choice("gpu"));
    CHECK(options.choice == Choice::automatic);
  }
}

TEST_CASE("a device that the runtime never announces is announced when it is used") {
  MemoryDeviceSink sink;
  Devices devices(sink, options_for("auto"));
  devices.used(3);
  devices.used(3);
  devices.used(-1);
  CHECK(sink.devices.size() == 1);
  REQUIRE(sink.devices.count(3) == 1);
  CHECK(sink.devices[3].provider == DeviceProviderKind::host);
  CHECK(sink.devices[3].provider_reason.find("did not initialize") != std::string::npos);
  SECTION("and one that it announced is not announced again") {
    const auto device = make_amd_device({5, {}, {}, false, true});
    announce(devices, *device);
    sink.devices.clear();
    devices.used(5);
    CHECK(sink.devices.empty());
    devices.finish();  // while the device is there
  }
}

TEST_CASE("NVIDIA's devices are asked of CUPTI first: their runtime accepts tracing, and records nothing") {
  MemoryDeviceSink sink;
  Devices devices(sink, options_for("auto"));
  const auto device = make_standard_device({});
  const auto& d = *device;
  devices.initialize(0, "sm_90", device->handle(), d.lookup(), nullptr);
  const auto& reason = sink.devices.at(0).provider_reason;  // there is no CUDA here: the next one takes over
  CHECK(reason.find("cupti: ") != std::string::npos);
  CHECK(sink.devices[0].provider == DeviceProviderKind::ompt);
  devices.finish();  // while the device is there
}

TEST_CASE("without CUPTI the hooks around an operation are empty") {
  MemoryDeviceSink sink;
  Devices devices(sink, options_for("ompt"));
  devices.prepare();
  devices.operation_begin(1);
  devices.operation_end();
  devices.pause(true);
  devices.pause(false);
  CHECK(sink.messages.empty());
}

TEST_CASE("a forked child leaves the devices alone") {
  MemoryDeviceSink sink;
  Devices devices(sink, options_for("ompt"));
  const auto device = make_amd_device({});
  announce(devices, *device);
  const pid_t child = fork();
  if (child == 0) {  // the runtime's threads are not here: a flush would wait for ever
    devices.poll();
    devices.flush();
    devices.finish();
    _exit(0);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  devices.finish();
}
