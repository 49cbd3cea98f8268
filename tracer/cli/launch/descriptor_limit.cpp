// SPDX-License-Identifier: BSD-3-Clause
// See descriptor_limit.hpp.
#include "tracer/cli/launch/descriptor_limit.hpp"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tracer/base/files/file.hpp"

namespace tracer::cli {
namespace {

constexpr rlim_t enough = 1024;

std::optional<rlimit> given;

}  // namespace

void raise_descriptor_limit() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= enough || limit.rlim_cur == limit.rlim_max) return;
  const rlimit raised{std::min(enough, limit.rlim_max), limit.rlim_max};
  if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) given = limit;
}

void restore_descriptor_limit() noexcept {
  if (given) ::setrlimit(RLIMIT_NOFILE, &*given);
}

bool can_open(int files) {
  std::vector<UniqueFd> open;
  for (int i = 0; i < files; ++i) {
    open.emplace_back(::open("/", O_PATH | O_CLOEXEC));
    if (!open.back()) return false;
  }
  return true;
}

}  // namespace tracer::cli
