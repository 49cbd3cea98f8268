// SPDX-License-Identifier: BSD-3-Clause
// See annotations.hpp.
#include "tracer/cli/launch/annotations.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "tracer/base/text.hpp"
#include "tracer/cli/output/terminal.hpp"

namespace tracer::cli {
namespace {

constexpr const char* newer_kokkos = "KOKKOS_TOOLS_LIBS";

struct Language {
  const char* name;      ///< as in --annotations
  const char* variable;  ///< "": it is preloaded
  const char* title;     ///< in messages
};
constexpr Language languages[] = {
    {"nvtx", "NVTX_INJECTION64_PATH", "NVTX"},
    {"itt", "INTEL_LIBITTNOTIFY64", "ITT"},
    {"kokkos", newer_kokkos, "Kokkos"},
    {"roctx", "", "ROCTx"},
};

/// Kokkos before 3.7 reads the older variable only; later ones complain of it, and end the program when the two differ.
constexpr const char* older_kokkos = "KOKKOS_PROFILE_LIBRARY";

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool contains(const std::filesystem::path& file, std::string_view text) {
  std::ifstream in{file, std::ios::binary};
  std::string part(1 << 20, '\0');
  std::size_t kept = 0;  // of the part before: the text may lie across
  while (in.read(part.data() + kept, static_cast<std::streamsize>(part.size() - kept)), in.gcount() > 0) {
    const std::size_t have = kept + static_cast<std::size_t>(in.gcount());
    if (std::string_view{part}.substr(0, have).find(text) != std::string_view::npos) return true;
    kept = std::min(have, text.size() - 1);
    std::copy(part.begin() + static_cast<std::ptrdiff_t>(have - kept), part.begin() + static_cast<std::ptrdiff_t>(have),
              part.begin());
  }
  return false;
}

/// The program's Kokkos, shared or in the program itself, reads only the older variable.
bool has_older_kokkos(const Program& program) {
  std::filesystem::path kokkos = program.path;
  for (const std::string& library : program.libraries)
    if (std::filesystem::path(library).filename().string().find("kokkoscore") != std::string::npos) kokkos = library;
  return contains(kokkos, older_kokkos) && !contains(kokkos, newer_kokkos);
}

bool needs_roctx(const Program& program) {
  return std::any_of(program.libraries.begin(), program.libraries.end(), [](const std::string& library) {
    const std::string name = std::filesystem::path(library).filename().string();
    return name.starts_with("libroctx64.so") || name.starts_with("librocprofiler-sdk-roctx.so");
  });
}

}  // namespace

void preload(const std::string& library, Environment& changes) {
  if (!is_preloadable(library)) return;
  const auto known =
      std::find_if(changes.begin(), changes.end(), [](const auto& c) { return c.first == "LD_PRELOAD"; });
  if (known != changes.end()) {
    known->second += ":" + library;
    return;
  }
  const char* old = std::getenv("LD_PRELOAD");
  changes.emplace_back("LD_PRELOAD", old != nullptr && *old != '\0' ? std::string{old} + ":" + library : library);
}

std::string wrong_annotations(const std::string& chosen) {
  if (chosen == "all" || chosen == "none") return {};
  for (const std::string& word : split(chosen, ',')) {
    if (std::none_of(std::begin(languages), std::end(languages), [&](const Language& l) { return word == l.name; }))
      return "it takes nvtx, itt, kokkos and roctx with commas between them, all or none, not '" + word + "'";
  }
  return {};
}

void add_annotations(const std::string& chosen, const std::filesystem::path& tracer_library, const Program& program,
                     bool quiet, Environment& changes) {
  if (chosen == "none") return;
  const std::filesystem::path library = tracer_library.parent_path() / "libtracer-annotations.so";
  if (std::error_code error; !std::filesystem::exists(library, error)) {
    if (!quiet && chosen != "all")
      print_note(missing_library(library) + ": NVTX, ITT, Kokkos and ROCTx annotations are not recorded.");
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
    const bool is_kokkos = std::string_view{language.variable} == newer_kokkos;
    if (const char* other = is_kokkos && is_set(older_kokkos) ? older_kokkos : language.variable; is_set(other)) {
      const std::string named = std::getenv(other);
      if (!quiet && named != library.string())
        print_note(std::string{other} + " names another tool (" + named + "): the program's " + language.title +
                   " annotations go there and not into the trace.");
      continue;
    }
    changes.emplace_back(is_kokkos && has_older_kokkos(program) ? older_kokkos : language.variable, library.string());
  }
}

}  // namespace tracer::cli
