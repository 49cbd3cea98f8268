// SPDX-License-Identifier: BSD-3-Clause
// From the kernel's general-purpose register set (NT_PRSTATUS) to the few that are needed, and back.
#pragma once

#include <sys/user.h>

#include <algorithm>
#include <cstring>

#include "tracer/ompd/target/target.hpp"

namespace tracer::ompd {

#if defined(__x86_64__)
using RegisterSet = user_regs_struct;
inline Registers select(const RegisterSet& set) noexcept {
  return {set.rip, set.rsp, set.fs_base};
}
#elif defined(__aarch64__)
using RegisterSet = user_regs_struct;  // the thread pointer is a set of its own: NT_ARM_TLS
inline Registers select(const RegisterSet& set) noexcept {
  return {set.pc, set.sp, 0};
}
#else
struct RegisterSet {};
inline Registers select(const RegisterSet&) noexcept {
  return {};
}
#endif

inline Registers registers_from(const void* bytes, std::size_t count) noexcept {
  RegisterSet set{};
  std::memcpy(&set, bytes, std::min(count, sizeof set));
  return select(set);
}

}  // namespace tracer::ompd
