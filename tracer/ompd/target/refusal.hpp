// SPDX-License-Identifier: BSD-3-Clause
// Why a process or core file cannot be looked into: each reason has a message and an exit status.
#pragma once

#include <string>

#include "tracer/error.hpp"

namespace tracer::ompd {

/// The values are exit statuses of `tracer snapshot` and `tracer attach` (docs/cli/snapshot.md): append only.
enum class Refusal : int {
  no_such_target = 10,      ///< no such process, or no such file
  no_permission = 11,       ///< ptrace refused: ptrace_scope, another user, another tracer
  other_architecture = 12,  ///< not this machine's, or 32 bit
  no_openmp = 13,           ///< no runtime with OMPD support is mapped
  not_initialized = 14,     ///< the runtime is mapped and has not started
  stripped_runtime = 15,    ///< its ompd_* symbols are missing
  no_plugin = 16,           ///< no libompd.so that fits
  damaged = 17,             ///< not a core file, or a truncated or hostile one
  stuck = 18,               ///< it took too long: the target does not stop, or the plugin does not return
  crashed = 19,             ///< the plugin crashed on what it read
};

class CannotLook : public Error {
 public:
  CannotLook(Refusal why, const std::string& message) : Error(message), why_(why) {}
  Refusal why() const noexcept { return why_; }

 private:
  Refusal why_;
};

}  // namespace tracer::ompd
