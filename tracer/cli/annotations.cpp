// SPDX-License-Identifier: BSD-3-Clause
// See annotations.hpp.
#include "tracer/cli/annotations.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "tracer/base/text.hpp"
#include "tracer/cli/terminal.hpp"

namespace tracer::cli {
namespace {

struct Language {
  const char* name;      ///< as in --annotations
  const char* variable;  ///< "": it is preloaded
  const char* says;      ///< for the user
};
constexpr Language languages[] = {
    {"nvtx", "NVTX_INJECTION64_PATH", "NVTX"},
    {"itt", "INTEL_LIBITTNOTIFY64", "ITT"},
    {"kokkos", "KOKKOS_TOOLS_LIBS", "Kokkos"},
    {"roctx", "", "ROCTx"},
};

bool needs_roctx(const Program& program) {
  return std::any_of(program.libraries.begin(), program.libraries.end(), [](const std::string& library) {
    const std::string name = std::filesystem::path(library).filename().string();
    return name.starts_with("libroctx64.so") || name.starts_with("librocprofiler-sdk-roctx.so");
  });
}

void preload(const std::string& library, Environment& changes) {
  const auto known =
      std::find_if(changes.begin(), changes.end(), [](const auto& c) { return c.first == "LD_PRELOAD"; });
  if (known != changes.end()) {
    known->second += ":" + library;
    return;
  }
  const char* old = std::getenv("LD_PRELOAD");
  changes.emplace_back("LD_PRELOAD", old != nullptr && *old != '\0' ? std::string{old} + ":" + library : library);
}

}  // namespace

std::string wrong_annotations(const std::string& chosen) {
  if (chosen == "all" || chosen == "none") return {};
  for (const std::string& word : split(chosen, ',')) {
    if (std::none_of(std::begin(languages), std::end(languages), [&](const Language& l) { return word == l.name; }))
      return "--annotations takes nvtx, itt, kokkos and roctx with commas between them, all or none, not '" + word +
             "'";
  }
  return {};
}

void add_annotations(const std::string& chosen, const std::filesystem::path& tracer_library, const Program& program,
                     bool quiet, Environment& changes) {
  if (chosen == "none") return;
  const std::filesystem::path library = tracer_library.parent_path() / "libtracer-annotations.so";
  if (std::error_code error; !std::filesystem::exists(library, error)) {
    if (!quiet && chosen != "all")
      print_note(library.string() + " is not there: NVTX, ITT, Kokkos and ROCTx are not listened to.");
    return;
  }
  const std::vector<std::string> words = split(chosen, ',');
  for (const Language& language : languages) {
    const bool is_named = std::find(words.begin(), words.end(), language.name) != words.end();
    if (chosen != "all" && !is_named) continue;
    if (*language.variable == '\0') {
      if (is_named || needs_roctx(program)) preload(library.string(), changes);
      continue;
    }
    const char* other = std::getenv(language.variable);
    if (other == nullptr || *other == '\0') {
      changes.emplace_back(language.variable, library.string());
    } else if (!quiet && other != library.string()) {
      print_note(std::string{language.variable} + " names another tool (" + other +
                 "): what the program says through " + language.says + " goes there and not into the trace.");
    }
  }
}

}  // namespace tracer::cli
