// SPDX-License-Identifier: BSD-3-Clause
// Offers each device to the providers in order and remembers who took it.
#include "device/select/select.hpp"

#include <unistd.h>

#include <array>
#include <map>
#include <mutex>
#include <new>
#include <string>

#include "device/cupti/provider.hpp"
#include "device/host/provider.hpp"
#include "device/ompt/provider.hpp"
#include "tracer/base/clock.hpp"

namespace tracer::device {
namespace {

Ticks recording_clock() noexcept {
  return now();
}

/// A guess from the architecture that LLVM's plugins give as type.
std::uint32_t paradigm_of(std::string_view type) noexcept {
  if (type.substr(0, 3) == "sm_" || type.find("nvptx") != std::string_view::npos) return 1;
  if (type.substr(0, 3) == "gfx" || type.find("amdgcn") != std::string_view::npos) return 2;
  return 0;
}

}  // namespace

bool DeviceOptions::set_choice(std::string_view text) noexcept {
  constexpr std::array<std::pair<std::string_view, Choice>, 6> names{{{"auto", Choice::automatic},
                                                                      {"", Choice::automatic},
                                                                      {"ompt", Choice::ompt},
                                                                      {"cupti", Choice::cupti},
                                                                      {"host", Choice::host},
                                                                      {"off", Choice::off}}};
  for (const auto& [name, value] : names) {
    if (name != text) continue;
    choice = value;
    return true;
  }
  return false;
}

struct Devices::State {
  DeviceSink& sink;
  DeviceOptions options;
  std::mutex lock;   // devices opened and closed; never held while a provider closes
  std::mutex hooks;  // the hooks are what the providers' states say; nothing waits under it
  std::map<std::int32_t, DeviceInfo> infos;
  std::map<std::int32_t, DeviceProvider*> owners;
  bool finished = false;
  const pid_t process = ::getpid();
  // destroyed last to first; order of the array is the order of preference
  std::array<std::unique_ptr<DeviceProvider>, 3> providers;

  State(DeviceSink& s, const DeviceOptions& o) : sink(s), options(o) {
    if (!options.clock) options.clock = &recording_clock;
    const auto wanted = [&](Choice c) { return options.choice == Choice::automatic || options.choice == c; };
    if (wanted(Choice::ompt)) {
      providers[0] = ompt::make_provider(sink, {options.buffer_bytes, options.memory_bytes, options.clock, nullptr});
    }
    if (wanted(Choice::cupti)) {
      providers[1] =
          cupti::make_provider(sink, {options.buffer_bytes, options.memory_bytes, options.clock,
                                      options.choice == Choice::cupti, options.calls, options.unified_memory, nullptr});
    }
    if (options.choice != Choice::off) providers[2] = host::make_provider();
  }

  DeviceProvider* offer(const DeviceDescription& device, DeviceInfo& info);
};

/// The provider "host" takes what no other accepts, also when the user selected another one: the reason names it.
DeviceProvider* Devices::State::offer(const DeviceDescription& device, DeviceInfo& info) {
  std::string refusals;
  auto order = std::array{providers[0].get(), providers[1].get(), providers[2].get()};
  if (info.paradigm_hint == 1) std::swap(order[0], order[1]);
  for (auto* provider : order) {
    if (!provider) continue;
    const auto answer = provider->open(device, info);
    if (answer.accepted) {
      info.provider = provider->kind();
      info.provider_reason = answer.reason;
      if (!refusals.empty()) info.provider_reason += "; " + refusals;
      return provider;
    }
    const bool cupti = provider->kind() == DeviceProviderKind::cupti;
    refusals += (refusals.empty() ? "" : "; ") + std::string(cupti ? "cupti: " : "ompt: ") + answer.reason;
  }
  info.provider = DeviceProviderKind::none;
  info.provider_reason = options.choice == Choice::off ? "TRACER_DEVICE=off" : refusals;
  return nullptr;
}

Devices::Devices(DeviceSink& sink, const DeviceOptions& options) noexcept {
  try {
    state_ = std::make_unique<State>(sink, options);
  } catch (...) {
    sink.message("devices not recorded: out of memory");
  }
}

/// A forked child has neither the runtime's threads nor the devices.
bool Devices::ours() const noexcept {
  return state_ && state_->process == ::getpid();
}

Devices::~Devices() {
  finish();
}

void Devices::prepare() noexcept try {
  if (!ours()) return;
  for (const auto& provider : state_->providers) {
    if (!provider) continue;
    const auto answer = provider->prepare();
    if (!answer.accepted && provider->kind() == DeviceProviderKind::cupti && state_->options.choice == Choice::cupti) {
      state_->sink.message(std::string("TRACER_DEVICE=cupti: ") + answer.reason);
    }
  }
  refresh_hooks();
} catch (...) {
}

void Devices::driver_starts() noexcept {
  if (!ours()) return;
  for (const auto& provider : state_->providers)
    if (provider) provider->driver_starts();
  refresh_hooks();
}

/// A provider that failed takes its hooks back.
void Devices::refresh_hooks() noexcept {
  const std::lock_guard lock(state_->hooks);
  OperationHooks hooks;
  for (const auto& provider : state_->providers) {
    if (provider && provider->hooks().begin) hooks = provider->hooks();
  }
  begin_hook_.store(hooks.begin, std::memory_order_relaxed);
  end_hook_.store(hooks.end, std::memory_order_relaxed);
}

void Devices::initialize(std::int32_t number, const char* type, DeviceHandle handle, DeviceLookup lookup,
                         const char* documentation) noexcept try {
  if (!ours()) return;
  const std::lock_guard lock(state_->lock);
  if (state_->finished) return;
  note(number);
  DeviceInfo info;
  info.number = number;
  info.type = type ? type : "";
  info.documentation = documentation ? documentation : "";
  info.paradigm_hint = paradigm_of(info.type);
  info.initialized = state_->options.clock();
  auto* owner = state_->offer({number, info.type, handle, lookup}, info);
  refresh_hooks();  // the provider may have begun with this device
  state_->owners[number] = owner;
  state_->infos[number] = info;
  state_->sink.device(info);
} catch (...) {
}

void Devices::note(std::int32_t number) noexcept {
  const auto bit = static_cast<std::uint32_t>(number);
  if (bit < most_known) known_[bit / 64].fetch_or(std::uint64_t{1} << (bit % 64), std::memory_order_relaxed);
}

/// What the provider cupti finds of the same number later replaces this in the journal.
void Devices::announce(std::int32_t number) noexcept try {
  if (!ours()) return;
  const std::lock_guard lock(state_->lock);
  note(number);
  if (state_->finished || state_->infos.count(number) != 0) return;
  DeviceInfo info;
  info.number = number;
  info.initialized = state_->options.clock();
  auto* owner = state_->offer({number, "", nullptr, nullptr}, info);
  if (info.provider == DeviceProviderKind::cupti) info.type = "NVIDIA";
  info.provider_reason = "the OpenMP runtime did not initialize it; " + info.provider_reason;
  state_->owners[number] = owner;
  state_->infos[number] = info;
  state_->sink.device(info);
} catch (...) {
}

void Devices::finalize(std::int32_t number) noexcept try {
  if (!ours()) return;
  DeviceProvider* owner = nullptr;
  DeviceInfo info;
  {
    const std::lock_guard lock(state_->lock);
    const auto it = state_->owners.find(number);
    if (it == state_->owners.end() || state_->finished) return;
    owner = it->second;
    state_->owners.erase(it);
    info = state_->infos[number];
  }
  if (owner) owner->close(number);
  info.finalized = state_->options.clock();
  state_->sink.device(info);
} catch (...) {
}

void Devices::pause(bool on) noexcept {
  if (!ours()) return;
  for (const auto& provider : state_->providers)
    if (provider) provider->pause(on);
  refresh_hooks();
}

void Devices::flush() noexcept {
  if (!ours()) return;
  for (const auto& provider : state_->providers)
    if (provider) provider->flush();
}

void Devices::poll() noexcept {
  if (!ours()) return;
  for (const auto& provider : state_->providers)
    if (provider) provider->poll();
  refresh_hooks();
}

void Devices::finish() noexcept {
  if (!ours()) return;
  begin_hook_.store(nullptr, std::memory_order_relaxed);
  end_hook_.store(nullptr, std::memory_order_relaxed);
  {
    const std::lock_guard lock(state_->lock);
    if (state_->finished) return;
    state_->finished = true;
  }
  for (const auto& provider : state_->providers)
    if (provider) provider->finish();
}

bool Devices::leave_to_parent() noexcept {
  bool may_begin_again = true;
  if (!state_) return may_begin_again;
  for (const auto& provider : state_->providers)
    if (provider && !provider->leave_to_parent()) may_begin_again = false;
  return may_begin_again;
}

}  // namespace tracer::device
