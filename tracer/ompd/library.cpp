// SPDX-License-Identifier: BSD-3-Clause
// Loads libompd.so and looks its functions up.
#include "tracer/ompd/library.hpp"

#include <dlfcn.h>

#include "tracer/ompd/callbacks.hpp"
#include "tracer/ompd/target/refusal.hpp"

namespace tracer::ompd {
namespace {

/// The interface of OpenMP 5.0; a plugin of 5.1 or later announces another and is asked for its own.
constexpr ompd_word_t openmp_5_0 = 201811;

}  // namespace

Library::Library(const Plugin& plugin) : path_(plugin.path) {
  const std::string& path = plugin.path;
  handle_ = dlopen(("/proc/self/fd/" + std::to_string(plugin.fd.get())).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    const char* why = dlerror();
    throw CannotLook(Refusal::no_plugin,
                     "cannot load the OMPD plugin " + path + ": " + std::string{why == nullptr ? "" : why});
  }
#define TRACER_OMPD_LOOKUP(function)                                                  \
  function = reinterpret_cast<decltype(function)>(dlsym(handle_, "ompd_" #function)); \
  if (function == nullptr) missing_.push_back("ompd_" #function);
  TRACER_OMPD_FUNCTIONS(TRACER_OMPD_LOOKUP)
#undef TRACER_OMPD_LOOKUP
  ompd_rc_t code = ompd_rc_error;
  if (missing_.empty()) {
    ompd_word_t version = openmp_5_0;
    get_api_version(&version);
    code = initialize(version, plugin_callbacks());
  }
  if (code != ompd_rc_ok) {
    dlclose(handle_);
    throw CannotLook(Refusal::no_plugin,
                     missing_.empty()
                         ? path + " cannot be initialised: " + text_of(code)
                         : path + " is no OMPD plugin that this tracer knows: it lacks " + missing_.front());
  }
}

Library::~Library() {
  finalize();
  dlclose(handle_);
}

std::string Library::version() const {
  const char* text = nullptr;
  return get_version_string(&text) == ompd_rc_ok && text != nullptr ? text : "";
}

ompd_word_t Library::api_version() const {
  ompd_word_t version = 0;
  get_api_version(&version);
  return version;
}

const std::vector<std::string>& Library::messages() {
  return plugin_messages();
}

const char* text_of(ompd_rc_t code) noexcept {
  switch (code) {
    case ompd_rc_ok:
      return "ok";
    case ompd_rc_unavailable:
      return "unavailable";
    case ompd_rc_stale_handle:
      return "stale handle";
    case ompd_rc_bad_input:
      return "bad input";
    case ompd_rc_error:
      return "error";
    case ompd_rc_unsupported:
      return "unsupported";
    case ompd_rc_needs_state_tracking:
      return "needs OMP_DEBUG=enabled";
    case ompd_rc_incompatible:
      return "incompatible";
    case ompd_rc_device_read_error:
      return "cannot read the target's memory";
    case ompd_rc_device_write_error:
      return "cannot write the target's memory";
    case ompd_rc_nomem:
      return "out of memory";
    case ompd_rc_incomplete:
      return "incomplete";
    case ompd_rc_callback_error:
      return "a callback failed";
    default:
      break;  // of a newer header, or a plugin's own
  }
  return "unknown return code";
}

}  // namespace tracer::ompd
