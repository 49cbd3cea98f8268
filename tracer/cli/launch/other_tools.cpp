// SPDX-License-Identifier: BSD-3-Clause
// See other_tools.hpp.
#include "tracer/cli/launch/other_tools.hpp"

#include <strings.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <set>
#include <string_view>
#include <system_error>

#include "tracer/base/text.hpp"
#include "tracer/cli/launch/program_file.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/error.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

/// Calls look(ProgramFile) for a regular file that can be read.
template <class Look>
void look_into(const fs::path& path, Look look) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return;
  try {
    look(ProgramFile{path});
  } catch (const Error&) {  // as one without symbols
  }
}

bool is_own(const fs::path& library) {
  return library.filename() == "libtracer.so";
}

/// A runtime defines the name as well: its function calls those behind it.
bool is_tool(const fs::path& library) {
  if (is_own(library)) return false;
  bool starts = false, is_runtime = false;
  look_into(library, [&](const ProgramFile& file) {
    file.for_each_definition([&](std::string_view name) {
      starts = starts || name == "ompt_start_tool";
      is_runtime = is_runtime || name.substr(0, name.find('@')) == "omp_get_max_threads";
    });
  });
  return starts && !is_runtime;
}

bool has_tool(const Program& program) {
  return (program.has_own_tool && !program.contains_llvm_runtime) ||
         std::any_of(program.libraries.begin(), program.libraries.end(),
                     [](const auto& path) { return is_tool(path); });
}

/// The loader searches for a name without a slash, and replaces $ORIGIN and $LIB: what it finds there is not known.
bool may_be_tool(const std::string& preloaded) {
  const bool is_known = preloaded.find('/') != std::string::npos && preloaded.find('$') == std::string::npos;
  return is_known ? is_tool(preloaded) : !is_own(preloaded);
}

bool may_preload_tool() {
  const char* const list = std::getenv("LD_PRELOAD");
  const std::vector<std::string> entries = entries_of(list != nullptr ? list : "", ": ");
  return std::any_of(entries.begin(), entries.end(), may_be_tool);
}

bool calls_one_of(const fs::path& file, std::initializer_list<std::string_view> names) {
  bool calls = false;
  look_into(file, [&](const ProgramFile& elf) {
    elf.for_each_dynamic_symbol([&](std::string_view name, const Elf64_Sym& symbol) {
      calls = calls || (symbol.st_shndx == SHN_UNDEF && std::find(names.begin(), names.end(), name) != names.end());
    });
  });
  return calls;
}

/// OMP_TOOL_LIBRARIES may be gone before its first OpenMP call. Runtimes find a preloaded tool without it.
bool may_clear_environment(const Program& program) {
  return (program.has_llvm_runtime || program.contains_llvm_runtime) &&
         (calls_one_of(program.path, {"clearenv", "unsetenv"}) ||
          std::any_of(program.libraries.begin(), program.libraries.end(),
                      [](const auto& library) { return calls_one_of(library, {"clearenv"}); }));
}

bool needs_preload(const Program& program) {
  return has_tool(program) || may_clear_environment(program);
}

/// Each tool once, in the order of their notes.
std::vector<std::string> named(const std::vector<LaunchNote>& notes, LaunchNoteKind kind) {
  std::set<std::string> known;
  std::vector<std::string> names;
  for (const LaunchNote& note : notes)
    if (note.kind == kind && known.insert(note.text).second) names.push_back(note.text);
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + printable(name);
  return text;
}

}  // namespace

std::string before_other_tools(const Program& first, std::span<const Program> below, const fs::path& tool_library,
                               const std::string& preload) {
  if (!is_preloadable(tool_library)) return preload;
  if (!may_preload_tool() && !needs_preload(first) && std::none_of(below.begin(), below.end(), needs_preload))
    return preload;
  return preload.empty() ? tool_library.string() : tool_library.string() + ":" + preload;
}

bool disables_tools(const char* omp_tool) {
  return omp_tool != nullptr && ::strcasecmp(omp_tool, "disabled") == 0;
}

bool print_tools(const std::vector<LaunchNote>& notes) {
  const auto active = named(notes, LaunchNoteKind::tool_active), refusing = named(notes, LaunchNoteKind::tool_refuses);
  for (const std::string& text : named(notes, LaunchNoteKind::tool_not_loaded))
    print_note("an OpenMP tool is not loaded: " + printable(text));
  if (!refusing.empty()) print_note("refused, and got nothing: the OpenMP tool " + joined(refusing));
  if (!active.empty())
    print_note("active beside Tracer, with a part in the times of the trace: the OpenMP tool " + joined(active));
  std::vector<std::string> starting = named(notes, LaunchNoteKind::tool_starts);
  std::erase_if(starting, [&](const std::string& name) {
    return std::find(active.begin(), active.end(), name) != active.end() ||
           std::find(refusing.begin(), refusing.end(), name) != refusing.end();
  });
  for (const std::string& name : starting)
    print_note("the program ended while the OpenMP tool " + printable(name) + " started.");
  return !starting.empty();
}

}  // namespace tracer::cli
