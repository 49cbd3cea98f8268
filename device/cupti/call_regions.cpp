// SPDX-License-Identifier: BSD-3-Clause
// Begins and ends a region around the outermost call.
#include "device/cupti/call_regions.hpp"

#include <algorithm>

namespace tracer::device::cupti {
namespace {

struct Thread {
  unsigned depth = 0;        // of calls that CUPTI reported
  bool is_recorded = false;  // the outermost has a region
};
thread_local Thread thread;

constexpr CUpti_CallbackDomain domain_of[] = {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API};

}  // namespace

std::string_view plain_name(std::string_view function) noexcept {
  for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
    if (function.size() > suffix.size() && function.substr(function.size() - suffix.size()) == suffix)
      function.remove_suffix(suffix.size());
  }
  const auto version = function.rfind("_v");
  if (version == function.npos || version + 2 == function.size()) return function;
  const auto digits = function.substr(version + 2);
  const bool is_version = std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_version ? function.substr(0, version) : function;
}

void CallRegions::enable(const Api& api, CUpti_SubscriberHandle subscriber, bool on) noexcept {
  if (!api.enable_callback || !api.callback_name) return;
  for (const auto domain : domain_of) {
    for (CUpti_CallbackId id = 1; id < most_calls; ++id) {
      const char* name = nullptr;
      if (api.callback_name(domain, id, &name) != CUPTI_SUCCESS || !name) continue;
      if (kind_of_call(name) != CallKind::other) api.enable_callback(on, subscriber, domain, id);
    }
  }
}

std::uint32_t CallRegions::name_of(std::size_t domain, CUpti_CallbackId id, const char* function) noexcept {
  if (id >= most_calls || !function) return 0;
  auto& known = names_[domain][id];
  auto name = known.load(std::memory_order_relaxed);
  if (name == 0) known.store(name = sink_.intern(plain_name(function)), std::memory_order_relaxed);
  return name;
}

/// It counts as open before the look whether it is wanted: who has stopped them, and finds none open, gives CUPTI's
/// callbacks away, and the end would not be reported.
bool CallRegions::begin(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data) noexcept {
  open_.fetch_add(1);
  const auto name = wanted_ ? name_of(domain == CUPTI_CB_DOMAIN_RUNTIME_API, id, data.functionName) : 0;
  if (name != 0)
    sink_.call_began(name, data.correlationId);
  else
    open_.fetch_sub(1);
  return name != 0;
}

bool CallRegions::callback(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data,
                           bool recording) noexcept {
  if (data.callbackSite == CUPTI_API_ENTER) {
    if (thread.depth++ != 0) return false;
    thread.is_recorded = recording && begin(domain, id, data);
    return false;
  }
  if (thread.depth == 0 || --thread.depth != 0) return false;  // one that began before CUPTI reported calls
  if (!thread.is_recorded) return true;
  sink_.call_ended();
  open_.fetch_sub(1);
  thread.is_recorded = false;
  return true;
}

}  // namespace tracer::device::cupti
