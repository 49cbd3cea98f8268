// SPDX-License-Identifier: BSD-3-Clause
// The provider "cupti" of a tracer built without CUDA's headers: it reports that it is unavailable.
#include "device/cupti/provider.hpp"

namespace tracer::device::cupti {
namespace {

class Provider final : public DeviceProvider {
 public:
  DeviceProviderKind kind() const noexcept override { return DeviceProviderKind::cupti; }
  DeviceAnswer prepare() noexcept override { return no; }
  DeviceAnswer open(const DeviceDescription&, DeviceInfo&) noexcept override { return no; }
  void close(std::int32_t) noexcept override {}
  void finish() noexcept override {}

 private:
  static constexpr DeviceAnswer no{false, "this Tracer was built without the CUPTI headers"};
};

}  // namespace

std::unique_ptr<DeviceProvider> make_provider(DeviceSink&, const ProviderOptions&) noexcept try {
  return std::make_unique<Provider>();
} catch (...) {
  return nullptr;
}

}  // namespace tracer::device::cupti
