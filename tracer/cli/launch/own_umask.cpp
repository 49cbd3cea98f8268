// SPDX-License-Identifier: BSD-3-Clause
// See own_umask.hpp.
#include "tracer/cli/launch/own_umask.hpp"

#include <sys/stat.h>

#include <optional>

namespace tracer::cli {
namespace {

std::optional<mode_t> umask_given;

}  // namespace

void keep_rights_of_the_user() noexcept {
  constexpr mode_t of_others = S_IRWXG | S_IRWXO;
  umask_given = ::umask(of_others);
  ::umask(*umask_given & of_others);
}

void restore_umask() noexcept {
  if (umask_given) ::umask(*umask_given);
}

}  // namespace tracer::cli
