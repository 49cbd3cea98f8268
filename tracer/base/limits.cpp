// SPDX-License-Identifier: BSD-3-Clause
// See limits.hpp.
#include "tracer/base/limits.hpp"

#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <system_error>

#include "tracer/base/files/file.hpp"
#include "tracer/base/text.hpp"

namespace tracer {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number_at(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

/// The number behind `key` at the begin of a line.
std::optional<std::uint64_t> value_of(const std::string& text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view{text}.substr(at, end - at);
    if (line.starts_with(key)) return number_at(line.substr(key.size()));
    at = end + 1;
  }
  return std::nullopt;
}

/// The files of one version of control groups.
struct Names {
  const char *limit, *usage, *inactive, *active;
};
constexpr Names version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ",
                          "total_active_file "};
constexpr Names version_2{"memory.max", "memory.current", "inactive_file ", "active_file "};

std::uint64_t left_in(const fs::path& group, const Names& names) {
  const auto limit = number_at(read_small_file((group / names.limit).c_str()));  // "max" is none
  const auto usage = number_at(read_small_file((group / names.usage).c_str()));
  if (!limit || !usage) return no_limit;
  const std::string parts = read_small_file((group / "memory.stat").c_str());
  const std::uint64_t cached = value_of(parts, names.inactive).value_or(0) + value_of(parts, names.active).value_or(0);
  const std::uint64_t used = *usage - std::min(*usage, cached);
  return *limit - std::min(*limit, used);
}

/// Of a group and those above it. In a container the path may be the host's, and the mount the container's own.
std::uint64_t left_above(const fs::path& mount, const std::string& group, const Names& names) {
  std::uint64_t left = no_limit;
  for (fs::path at = fs::path{group}.relative_path();; at = at.parent_path()) {
    left = std::min(left, left_in(mount / at, names));
    if (at.empty()) return left;
  }
}

std::uint64_t left_in_groups(const fs::path& root) {
  std::uint64_t left = no_limit;
  const fs::path mounts = root / "sys/fs/cgroup";
  for (const std::string& line : split(read_small_file((root / "proc/self/cgroup").c_str()), '\n')) {
    const auto first = line.find(':'), second = line.find(':', first + 1);  // 4:memory:/a/b or 0::/a/b
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") left = std::min(left, left_above(mounts, group, version_2));
    if (controllers.find(",memory,") != controllers.npos)
      left = std::min(left, left_above(mounts / "memory", group, version_1));
  }
  return left;
}

std::uint64_t left_of(__rlimit_resource what, std::uint64_t used) noexcept {
  rlimit limit{};
  if (::getrlimit(what, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

}  // namespace

std::uint64_t memory_left(const fs::path& root) {
  constexpr std::uint64_t kib = 1024;
  std::uint64_t left = left_in_groups(root);
  const std::string machine = read_small_file((root / "proc/meminfo").c_str());
  if (const auto available = value_of(machine, "MemAvailable:")) left = std::min(left, *available * kib);
  const std::string process = read_small_file((root / "proc/self/status").c_str());
  left = std::min(left, left_of(RLIMIT_AS, value_of(process, "VmSize:").value_or(0) * kib));
  return std::min(left, left_of(RLIMIT_DATA, value_of(process, "VmData:").value_or(0) * kib));
}

Nanoseconds processor_time_left() noexcept {
  constexpr std::uint64_t second = 1'000'000'000, microsecond = 1'000;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ns = [](const timeval& t) {
    return static_cast<std::uint64_t>(t.tv_sec) * second + static_cast<std::uint64_t>(t.tv_usec) * microsecond;
  };
  rlimit limit{};
  if (::getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  const std::uint64_t whole = std::min<std::uint64_t>(limit.rlim_cur, no_limit / second) * second;
  return whole - std::min(whole, ns(usage.ru_utime) + ns(usage.ru_stime));
}

}  // namespace tracer
