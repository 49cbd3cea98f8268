// SPDX-License-Identifier: BSD-3-Clause
// The provider "host": accepts every device.
#include "device/host/provider.hpp"

namespace tracer::device::host {
namespace {

class Provider final : public DeviceProvider {
 public:
  DeviceProviderKind kind() const noexcept override { return DeviceProviderKind::host; }
  DeviceAnswer open(const DeviceDescription&, DeviceInfo&) noexcept override {
    return {true, "intervals of the host's target callbacks"};
  }
  void close(std::int32_t) noexcept override {}
  void finish() noexcept override {}
};

}  // namespace

std::unique_ptr<DeviceProvider> make_provider() noexcept try { return std::make_unique<Provider>(); } catch (...) {
  return nullptr;
}

}  // namespace tracer::device::host
