// SPDX-License-Identifier: BSD-3-Clause
// Sorts calls by the beginnings of their names.
#include "device/cupti/calls.hpp"

#include <array>

#include "device/cupti/kinds.hpp"

namespace tracer::device::cupti {
namespace {

struct Beginning {
  std::string_view text;
  CallKind kind;
};
/// Without "cu" or "cuda"; the first that fits counts.
constexpr std::array beginnings{Beginning{"LaunchHostFunc", CallKind::other},
                                Beginning{"Launch", CallKind::launch},
                                Beginning{"GraphLaunch", CallKind::graph},
                                Beginning{"GraphInstantiate", CallKind::graph},
                                Beginning{"GraphUpload", CallKind::graph},
                                Beginning{"MemcpyGetAttribute", CallKind::other},
                                Beginning{"Memcpy", CallKind::copy},
                                Beginning{"MemPrefetch", CallKind::copy},
                                Beginning{"Memset", CallKind::set},
                                Beginning{"MemAlloc", CallKind::allocation},
                                Beginning{"MemHostAlloc", CallKind::allocation},
                                Beginning{"MemHostRegister", CallKind::allocation},
                                Beginning{"MemFree", CallKind::allocation},
                                Beginning{"Malloc", CallKind::allocation},
                                Beginning{"Free", CallKind::allocation},
                                Beginning{"HostAlloc", CallKind::allocation},
                                Beginning{"HostRegister", CallKind::allocation},
                                Beginning{"StreamSynchronize", CallKind::synchronization},
                                Beginning{"CtxSynchronize", CallKind::synchronization},
                                Beginning{"DeviceSynchronize", CallKind::synchronization},
                                Beginning{"ThreadSynchronize", CallKind::synchronization},
                                Beginning{"EventSynchronize", CallKind::synchronization},
                                Beginning{"EventRecord", CallKind::event},
                                Beginning{"StreamWaitEvent", CallKind::event},
                                Beginning{"ModuleLoad", CallKind::module},
                                Beginning{"LibraryLoad", CallKind::module}};

}  // namespace

CallKind kind_of_call(std::string_view name) noexcept {
  for (const std::string_view prefix : {"cuda", "cu"}) {
    if (name.substr(0, prefix.size()) != prefix) continue;
    name.remove_prefix(prefix.size());
    for (const auto& [text, kind] : beginnings)
      if (name.substr(0, text.size()) == text) return kind;
    return CallKind::other;
  }
  return CallKind::other;
}

const char* name_of(CallKind kind) noexcept {
  static constexpr const char* names[call_kinds] = {"other",           "launch", "copy",  "set",   "allocation",
                                                    "synchronization", "event",  "graph", "module"};
  return names[static_cast<std::size_t>(kind)];
}

void RecordedCalls::learn(const Api& api) noexcept {
  if (!api.callback_name || is_learnt_) return;
  is_learnt_ = true;
  for (std::size_t domain = 0; domain < domains; ++domain) {
    for (CUpti_CallbackId call = 1; call < most_calls; ++call) {
      const char* name = nullptr;
      if (api.callback_name(domain ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API, call, &name) ==
              CUPTI_SUCCESS &&
          name)
        kinds_[domain][call] = kind_of_call(name);
    }
  }
}

CUptiResult RecordedCalls::enable(const Api& api) noexcept {
  learn(api);
  auto result = CUPTI_SUCCESS;
  for (std::size_t domain = 0; domain < domains; ++domain) {
    const auto enable = domain ? api.enable_runtime_call : api.enable_driver_call;
    one_by_one_[domain] = false;
    for (CUpti_CallbackId call = 1; enable && call < most_calls; ++call)
      if (kinds_[domain][call] != CallKind::other && enable(call, 1) == CUPTI_SUCCESS) one_by_one_[domain] = true;
    if (one_by_one_[domain]) continue;
    const auto answer = api.enable(domain ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER);
    if (domain == 0 || !is_missing(answer)) result = answer;
    if (result != CUPTI_SUCCESS) break;
  }
  return result;
}

void RecordedCalls::disable(const Api& api) noexcept {
  for (std::size_t domain = 0; domain < domains; ++domain) {
    const auto enable = domain ? api.enable_runtime_call : api.enable_driver_call;
    if (!one_by_one_[domain]) api.disable(domain ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER);
    for (CUpti_CallbackId call = 1; one_by_one_[domain] && call < most_calls; ++call)
      if (kinds_[domain][call] != CallKind::other) enable(call, 0);
  }
}

}  // namespace tracer::device::cupti
