// SPDX-License-Identifier: BSD-3-Clause
// See other_tools.hpp.
#include "tracer/base/other_tools.hpp"

#include <algorithm>
#include <cstddef>

#include "tracer/base/text.hpp"

namespace tracer {

namespace {

bool is_ours(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return name.substr(slash == std::string_view::npos ? 0 : slash + 1) == "libtracer.so";
}

}  // namespace

std::vector<std::string> tools_behind_ours(std::string_view list) {
  std::vector<std::string> names = entries_of(list, ":");
  const auto last = std::find_if(names.rbegin(), names.rend(), is_ours);
  names.erase(names.begin(), last.base());
  return names;
}

std::vector<std::string> other_tools(std::string_view list) {
  std::vector<std::string> names = entries_of(list, ":");
  names.erase(std::remove_if(names.begin(), names.end(), is_ours), names.end());
  return names;
}

}  // namespace tracer
