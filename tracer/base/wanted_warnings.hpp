// SPDX-License-Identifier: BSD-3-Clause
// For libraries that print a warning where libtracer.so is not in the process. Needs the C library only.
#pragma once

#include <cstdlib>
#include <cstring>

namespace tracer {

/// Whether libtracer.so would print warnings, by the settings in the environment.
inline bool warnings_are_wanted() noexcept {
  const auto is = [](const char* name, const char* word) {
    const char* const value = std::getenv(name);
    return value != nullptr && std::strcmp(value, word) == 0;
  };
  return std::getenv("TRACER_OUTPUT") != nullptr && !is("TRACER", "off") && !is("TRACER_LOG", "off") &&
         !is("TRACER_LOG", "error");
}

}  // namespace tracer
