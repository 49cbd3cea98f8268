// SPDX-License-Identifier: BSD-3-Clause
// OpenMP runtimes by the names of their files. Wheels and conda's packages bring copies whose names have a hash:
// libomp-a34b3233.so.5, libgomp-a34b3233.so.1.0.0, libiomp5-4b1c.so.
#pragma once

#include <string_view>

namespace tracer {

namespace detail {
constexpr bool is_copy_of(std::string_view file, std::string_view name) noexcept {
  if (!file.starts_with(name)) return false;
  file.remove_prefix(name.size());
  return file.starts_with(".so") || (file.starts_with('-') && file.find(".so") != std::string_view::npos);
}
}  // namespace detail

/// LLVM's and Intel's, which are one family.
constexpr bool is_llvm_runtime(std::string_view file) noexcept {
  return detail::is_copy_of(file, "libomp") || detail::is_copy_of(file, "libomp5") ||
         detail::is_copy_of(file, "libiomp5");
}

constexpr bool is_gcc_runtime(std::string_view file) noexcept {
  return detail::is_copy_of(file, "libgomp");
}

/// What LLVM's runtime runs target regions with: its library, a device's plug-in, and libffi, which calls target
/// regions on the host.
constexpr bool is_target_runtime(std::string_view file) noexcept {
  return detail::is_copy_of(file, "libomptarget") || file.starts_with("libomptarget.rtl.") ||
         detail::is_copy_of(file, "libffi");
}

}  // namespace tracer
