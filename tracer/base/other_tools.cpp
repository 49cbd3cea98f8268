// SPDX-License-Identifier: BSD-3-Clause
// See other_tools.hpp.
#include "tracer/base/other_tools.hpp"

#include <algorithm>
#include <cstddef>

#include "tracer/base/text.hpp"

namespace tracer {

std::vector<std::string> tools_behind_ours(std::string_view list) {
  std::vector<std::string> others;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    const std::string_view name = list.substr(0, end);
    const std::size_t slash = name.rfind('/');
    if (name.substr(slash == std::string_view::npos ? 0 : slash + 1) == "libtracer.so")
      others.clear();
    else if (!name.empty())
      others.emplace_back(name);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return others;
}

std::string message_on_other_tools(std::string_view list) {
  const std::vector<std::string> others = tools_behind_ours(list);
  std::string names;
  for (const std::string& name : others) names += (names.empty() ? "" : ", ") + printable(name);
  if (names.empty()) return names;
  return "OMP_TOOL_LIBRARIES names " + std::string{others.size() == 1 ? "another tool" : "other tools"} +
         " as well: " + names +
         ". An OpenMP runtime has one tool, and this is tracer: " + (others.size() == 1 ? "that one is" : "those are") +
         " not loaded.";
}

}  // namespace tracer
