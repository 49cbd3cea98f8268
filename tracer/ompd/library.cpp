// SPDX-License-Identifier: BSD-3-Clause
// Loads libompd.so and looks its functions up.
#include "tracer/ompd/library.hpp"

#include <dlfcn.h>

#include "tracer/ompd/callbacks.hpp"
#include "tracer/ompd/target/refusal.hpp"
#include "tracer/value_table.hpp"

namespace tracer::ompd {
namespace {

/// The interface of OpenMP 5.0; a plugin of 5.1 or later announces another, and Tracer requests that.
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
                         : path + " is no OMPD plugin that this tracer supports: it lacks " + missing_.front());
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
  static constexpr ValueTable<ompd_rc_t, const char*, 13> texts{
      "unknown return code",  // of a newer header, or a plugin's own
      {{ompd_rc_ok, "ok"},
       {ompd_rc_unavailable, "unavailable"},
       {ompd_rc_stale_handle, "stale handle"},
       {ompd_rc_bad_input, "bad input"},
       {ompd_rc_error, "error"},
       {ompd_rc_unsupported, "unsupported"},
       {ompd_rc_needs_state_tracking, "needs OMP_DEBUG=enabled"},
       {ompd_rc_incompatible, "incompatible"},
       {ompd_rc_device_read_error, "cannot read the target's memory"},
       {ompd_rc_device_write_error, "cannot write the target's memory"},
       {ompd_rc_nomem, "out of memory"},
       {ompd_rc_incomplete, "incomplete"},
       {ompd_rc_callback_error, "a callback failed"}}};
  return texts[code];
}

}  // namespace tracer::ompd
