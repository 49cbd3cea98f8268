// SPDX-License-Identifier: BSD-3-Clause
// See preload_order.hpp.
#include "tracer/cli/launch/preload_order.hpp"

#include <algorithm>
#include <filesystem>

#include "tracer/base/text.hpp"

namespace tracer::cli {
namespace {

/// GCC's libasan.so.8, clang's libclang_rt.asan-x86_64.so and libclang_rt.asan.so.
bool is_address_sanitizer(const std::filesystem::path& library) {
  const std::string name = library.filename().string();
  return name.starts_with("libasan.so") || (name.starts_with("libclang_rt.asan") && name.ends_with(".so"));
}

}  // namespace

std::optional<std::string> with_sanitizers_first(const std::string& list, const std::vector<Program>& programs) {
  std::vector<std::string> entries = entries_of(list, ": ");
  const auto others = std::stable_partition(entries.begin(), entries.end(),
                                            [](const std::string& entry) { return is_address_sanitizer(entry); });
  if (others == entries.begin())
    for (const Program& program : programs)
      for (const std::string& library : program.libraries) {
        if (!is_address_sanitizer(library)) continue;
        if (!is_preloadable(library)) return std::nullopt;
        if (std::find(entries.begin(), entries.end(), library) == entries.end())
          entries.insert(entries.begin(), library);
      }
  std::string text;
  for (const std::string& entry : entries) text += (text.empty() ? "" : ":") + entry;
  return text;
}

}  // namespace tracer::cli
