// SPDX-License-Identifier: BSD-3-Clause
// See python.hpp.
#include "tracer/cli/launch/python.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/launch/annotations.hpp"
#include "tracer/cli/launch/program.hpp"
#include "tracer/cli/launch/program_file.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/error.hpp"
#include "tracer/python_choice.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

/// python, python3, python3.13, python3.13t; of a debug build python3.13d.
bool is_named_python(const fs::path& program) {
  const std::string name = program.filename().string();
  return name.starts_with("python") && name.find_first_not_of("0123456789.td", 6) == std::string::npos;
}

/// What the script's first line names: "/usr/bin/python3", or the word after "/usr/bin/env".
std::string interpreter_of_script(const fs::path& script) {
  const std::string head = read_regular(script, 256);
  if (!head.starts_with("#!")) return {};
  std::vector<std::string> words;
  for (const std::string& word : split(head.substr(2, head.find('\n') - 2), ' '))
    if (!word.empty() && !(words.size() == 1 && word.starts_with('-'))) words.push_back(word);
  if (words.empty()) return {};
  return words.size() > 1 && fs::path(words[0]).filename() == "env" ? words[1] : words[0];
}

std::optional<fs::path> python_of(const std::string& word) {
  auto found = find_program(word);
  if (!found) return std::nullopt;
  if (is_named_python(*found)) return found;
  const std::string interpreter = interpreter_of_script(*found);
  return interpreter.empty() || !is_named_python(interpreter) ? std::nullopt : find_program(interpreter);
}

/// push %rbp; mov %rsp,%rbp, perhaps after endbr64. Compilers for other processors always keep them.
bool begins_a_frame([[maybe_unused]] std::string_view code) {
#if defined(__x86_64__)
  using namespace std::string_view_literals;
  if (code.starts_with("\xf3\x0f\x1e\xfa"sv)) code.remove_prefix(4);
  return code.starts_with("\x55\x48\x89\xe5"sv);
#else
  return !code.empty();
#endif
}

/// The interpreter's properties, from its files. What is not known has the values with which any interpreter's samples
/// are right: one that names no functions ignores the request, and unwind tables need no frame pointers.
struct Interpreter {
  bool is_known = false;             ///< not behind a script that starts it, as pyenv's
  bool records_calls = true;         ///< by --python: since 3.9
  bool names_functions = true;       ///< for samples, if it is asked to: since 3.12
  bool recurses_with_names = false;  ///< as deeply as without, up to Python's own limit: since 3.13
  bool keeps_frame_pointers = false;
};

Interpreter inspect_interpreter(const fs::path& python) {
  Interpreter result;
  try {
    std::vector<fs::path> files{python};
    for (const std::string& library : inspect_program(python).libraries)
      if (fs::path(library).filename().string().starts_with("libpython")) files.emplace_back(library);
    bool has_names = false, has_calls = false, has_depth = false;
    std::size_t seen = 0, with_frames = 0;  // single functions need a frame pointer in any build
    for (const fs::path& path : files) {
      const ProgramFile file{path};
      if (!file.valid()) continue;
      has_names = has_names || !file.code_of("PyUnstable_PerfMapState_Init", 1).empty();
      has_calls = has_calls || !file.code_of("PyFrame_GetCode", 1).empty();
      has_depth = has_depth || !file.code_of("PyEval_GetFrameLocals", 1).empty();
      for (const char* function : {"PyEval_EvalCode", "PyObject_Call", "PyRun_SimpleFileExFlags", "PyObject_Repr"}) {
        const std::string code = file.code_of(function, 8);
        seen += code.empty() ? 0 : 1;
        with_frames += begins_a_frame(code) ? 1 : 0;
      }
    }
    if (seen != 0) result = {true, has_calls, has_names, has_depth, 2 * with_frames >= seen};
  } catch (const Error&) {  // it cannot be read: it may be run all the same
  }
  return result;
}

constexpr const char* perf_support = "PYTHONPERFSUPPORT";

/// What the interpreter does not record of what was asked for. `names`: whether it names functions for samples, where
/// that is known.
void print_limits(const fs::path& python, const Interpreter& interpreter, const RunOptions& options,
                  std::optional<bool> names) {
  if (!options.python.empty()) {
    if (!interpreter.records_calls)
      print_note(python.string() + " is older than Python 3.9: --python records no calls of its functions.");
  } else if (!interpreter.names_functions) {
    print_note(python.string() + " is older than Python 3.12 and names no functions in samples" +
               (interpreter.records_calls ? "; --python records their calls." : "."));
  } else if (!names) {
    print_note(
        "samples have no names of Python functions: PYTHONPERFSUPPORT=1 names them, but makes the interpreter use more "
        "stack and limits recursion, to about 750 calls in Python 3.12 (docs/python-programs.md).");
  }
}

bool is_changed(const Environment& changes, const char* name) {
  return std::any_of(changes.begin(), changes.end(), [name](const auto& change) { return change.first == name; });
}

bool is_set(const Environment& changes, const char* name) {
  const char* value = std::getenv(name);
  return (value != nullptr && *value != '\0') || is_changed(changes, name);
}

/// Whether the user has the interpreter name functions for profilers, or not: by the variable, also one that `env` or a
/// launcher sets, or by -X perf. Nothing where the user does not say.
std::optional<bool> names_by_choice(const std::vector<std::string>& command) {
  const char* value = std::getenv(perf_support);
  for (std::size_t w = 0; w < command.size(); ++w) {
    const std::string& word = command[w];
    if (word == "PYTHONPERFSUPPORT=1" || word == "-Xperf" || (w > 0 && command[w - 1] == "-X" && word == "perf"))
      return true;
  }
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string_view{value} != "0";
}

}  // namespace

std::optional<fs::path> find_python(const std::vector<std::string>& command) {
  if (auto python = python_of(command.front())) return python;
  if (!is_launcher(command.front()) && !is_wrapper(command.front())) return std::nullopt;
  for (std::size_t w = 1; w < command.size(); ++w) {
    if (command[w].empty() || command[w].starts_with('-')) continue;
    if (auto python = python_of(command[w])) return python;
    const auto other = find_program(command[w]);
    // A word that follows an option may be its value.
    const bool may_be_value = command[w - 1].starts_with('-') && command[w].find('/') == std::string::npos;
    if (other && !is_launcher(*other) && !is_wrapper(*other) && !may_be_value) return std::nullopt;
  }
  return std::nullopt;
}

std::string wrong_python(const std::string& chosen) {
  if (is_python_choice(chosen)) return {};
  return "it takes on, all, or names of modules with commas between them, not '" + printable(chosen) + "'";
}

void add_python(const RunOptions& options, const fs::path& tracer_library, Environment& changes) {
  const bool wants_functions = !options.python.empty();
  if (!wants_functions && options.sample == 0) return;
  const auto python = find_python(options.command);
  if (!python && !wants_functions) return;
  const fs::path library = tracer_library.parent_path() / "libtracer-python.so";
  if (std::error_code error; !fs::exists(library, error)) {
    if (wants_functions) throw Error{missing_library(library) + ": --python needs it."};
  } else {
    preload(library.string(), changes);
    if (wants_functions ? !is_changed(changes, "TRACER_PYTHON") : !is_set(changes, "TRACER_PYTHON"))
      changes.emplace_back("TRACER_PYTHON", wants_functions ? options.python : "start");
  }
  if (!python) return;
  const Interpreter interpreter = inspect_interpreter(*python);
  auto names = names_by_choice(options.command);
  if (options.sample != 0 && !names && interpreter.recurses_with_names) {
    changes.emplace_back(perf_support, "1");
    names = true;
  }
  if (!options.quiet) print_limits(*python, interpreter, options, names);
  if (options.sample == 0 || !interpreter.names_functions || !names.value_or(false) ||
      interpreter.keeps_frame_pointers || is_set(changes, "TRACER_SAMPLE_SOURCE"))
    return;
  changes.emplace_back("TRACER_SAMPLE_SOURCE", "signal");
  if (!options.quiet)
    print_note(
        python->string() +
        (interpreter.is_known ? " keeps no frame pointers"
                              : " cannot be inspected (a script that starts the interpreter?); Python 3.12 and newer "
                                "name functions in samples") +
        ": signals take the samples, by unwind tables. --set SAMPLE_SOURCE=perf lets the kernel take them, without "
        "Python's functions.");
}

}  // namespace tracer::cli
