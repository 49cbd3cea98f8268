// SPDX-License-Identifier: BSD-3-Clause
// `tracer manual [COMMAND]`: manual pages, written from the same table as --help. Hidden: for packagers.

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>

#include "tracer/base/config.hpp"
#include "tracer/cli/help/manual_pages.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/options/describe.hpp"
#include "tracer/property_names.hpp"
#include "tracer/translate/repairs.hpp"
#include "tracer/version.hpp"

namespace tracer::cli {
namespace {

/// As roff(), with each line on one of its own.
std::string roff_lines(const std::string& text) {
  std::string out;
  for (const char c : roff(text)) out += c == '\n' ? std::string{"\n.br\n"} : std::string{c};
  return out;
}

void print_option(const OptionText& option) {
  std::string head;
  for (const std::string& name : option.names) head += (head.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (head.empty())
    head = "\\fI" + roff(option.positional) + "\\fR";
  else if (!option.value.empty())
    head += " \\fI" + roff(option.value) + "\\fR";
  std::printf(".TP\n%s\n%s\n", head.c_str(), roff_lines(option.description).c_str());
}

void print_options(const CommandText& text) {
  std::printf(".SH OPTIONS\n");
  for (const OptionText& option : text.options) print_option(option);
}

/// A command whose footer begins with its own usage line has a synopsis that the parser does not have.
std::string taken_usage(CommandText& text) {
  const std::string prefix = "Usage: ";
  if (!text.footer.starts_with(prefix)) return "";
  const std::size_t end = std::min(text.footer.find('\n'), text.footer.size());
  const std::string line = text.footer.substr(prefix.size(), end - prefix.size());
  text.footer.erase(0, std::min(end + 1, text.footer.size()));
  return line;
}

std::string synopsis(const CommandText& text, const std::string& command) {
  std::string line = ".B " + roff(command) + "\n[\\fIOPTIONS\\fR]";
  for (const OptionText& option : text.options) {
    if (option.positional.empty()) continue;
    const std::string name = "\\fI" + roff(option.positional) + "\\fR" + (option.repeated ? "..." : "");
    line += option.required ? " " + name : " [" + name + "]";
  }
  return line;
}

void print_head(const std::string& page, const std::string& summary) {
  std::string title = page;
  std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::printf(".TH %s 1 \"\" \"tracer %s\" \"User Commands\"\n", title.c_str(), tracer_version);
  std::printf(".SH NAME\n%s \\- %s\n", roff(page).c_str(), roff(summary).c_str());
}

void print_overview(const CLI::App& app) {
  print_head("tracer", "trace OpenMP programs into OTF2 archives");
  std::printf(".SH SYNOPSIS\n.B tracer\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n");
  std::printf(".br\n\\fBOMP_TOOL_LIBRARIES\\fR=\\fIDIR\\fR/libtracer.so \\fIPROGRAM\\fR [\\fIARGUMENTS\\fR...]\n");
  std::printf(".SH DESCRIPTION\n%s\n.SH COMMANDS\n", roff_lines(describe(app).summary).c_str());
  for (const CommandText& command : describe_subcommands(app)) {
    std::printf(".TP\n\\fBtracer\\-%s\\fR(1)\n%s\n", roff(command.name).c_str(), roff(command.summary).c_str());
  }
  print_options(describe(app));
  std::printf(
      ".SH EXIT STATUS\n0: done. 1: something was found or could not be done. 2: the command line makes no sense.\n");
}

void print_command(CommandText text) {
  const std::string page = "tracer-" + text.name;
  const std::string usage_line = taken_usage(text);
  print_head(page, text.summary);
  const std::string line = usage_line.empty() ? synopsis(text, "tracer " + text.name) : roff(usage_line);
  std::printf(".SH SYNOPSIS\n%s\n", line.c_str());
  const std::string described = roff_of_markdown(page_of(text.name));
  std::printf(".SH DESCRIPTION\n%s\n", (described.empty() ? roff_lines(text.footer) : described).c_str());
  print_options(text);
  std::printf(".SH SEE ALSO\n.BR tracer (1)\n");
}

int manual(const CLI::App& app, const std::string& name) {
  if (name.empty()) {
    print_overview(app);
    return ok;
  }
  for (const CommandText& command : describe_subcommands(app)) {
    if (command.name != name) continue;
    print_command(command);
    return ok;
  }
  throw UsageError{"no command '" + name + "'; see 'tracer --help'."};
}

std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string{"\\|"} : std::string{c};
  return out;
}

/// docs/settings.md.
int print_settings() {
  std::printf(
      "# Settings\n\n<!-- Written by `tracer manual --settings`; do not edit. -->\n\n"
      "Environment variables, read when the traced program starts. For an invalid value Tracer prints one "
      "line\non standard error and uses the default. `tracer info` shows the values in force and where they come "
      "from.\n\n"
      "| variable | default | allowed | meaning |\n|---|---|---|---|\n");
  const Config defaults = read_config(nullptr);
  for (const ConfigRow& row : config_rows()) {
    std::string initial;
    for (const Setting& setting : defaults.settings) {
      if (setting.name == row.name) initial = setting.value;
    }
    std::printf("| `%s` | %s | %s | %s |\n", row.name, initial.empty() ? "" : ("`" + cell(initial) + "`").c_str(),
                cell(row.allowed).c_str(), cell(row.meaning).c_str());
  }
  std::printf(
      "\nVariables of the commands themselves, which `--set` does not take: `TRACER_LIBRARY` names the libtracer.so to "
      "use,\n"
      "`TRACER_OPENMP_RUNTIME` the libomp that `--runtime auto` and `tracer info` use; `NO_COLOR` turns colours off. "
      "Where\n"
      "`TERM` is `dumb` or not set, commands send no escape sequences.\n\n"
      "`tracer run --annotations` sets these variables; to record annotations without it, set them to\n"
      "libtracer-annotations.so (beside libtracer.so): `NVTX_INJECTION64_PATH` (NVTX), `INTEL_LIBITTNOTIFY64` (ITT),\n"
      "`KOKKOS_TOOLS_LIBS` (Kokkos; before 3.7 `KOKKOS_PROFILE_LIBRARY`), `LD_PRELOAD` (ROCTx).\n");
  return ok;
}

/// docs/repairs.md.
int print_repairs() {
  std::fputs(translate::repairs_page().c_str(), stdout);
  return ok;
}

/// docs/formats/properties.md.
int print_properties() {
  std::fputs(
      "# Properties\n\n<!-- Written by `tracer manual --properties`; do not edit. -->\n\n"
      "What Tracer records about a run beside its events: properties of the archive, of a process (a location group), "
      "of a\n"
      "thread, of a device (its node of the system tree) or of a stream. All values are strings. A name that ends "
      "with\n"
      "`::` begins a family: a name or a number follows. In an archive names are in capitals, with `_` for what is no\n"
      "letter or digit: `TRACER::COUNTER::tool.wait_ns` is `TRACER::COUNTER::TOOL_WAIT_NS`.\n\n"
      "Writers are *recording* (libtracer.so; the raw trace has the same names without `TRACER::`), *convert*, "
      "*merge*\n"
      "(the archive of a job) and *filters* (`tracer export` of a part).\n\n"
      "| name | of | type | written by | meaning |\n|---|---|---|---|---|\n",
      stdout);
  for (const properties::Row& row : properties::table)
    std::printf("| `%s` | %s | %s | %s | %s |\n", row.name, row.of, row.type, row.writer, row.meaning);
  return ok;
}

void add(Arguments& app, std::function<int()>& action) {
  auto name = std::make_shared<std::string>();
  auto settings = std::make_shared<bool>(false), repairs = std::make_shared<bool>(false),
       properties = std::make_shared<bool>(false);
  app.add_flag("--settings", *settings, "The settings reference, as Markdown");
  app.add_flag("--repairs", *repairs, "What the translator repairs, as Markdown");
  app.add_flag("--properties", *properties, "The names of the archive's properties, as Markdown");
  app.add_option("COMMAND", *name, "Command to describe; without it, the overview");
  app.hide();
  action = [name, settings, repairs, properties, &app] {
    return *settings     ? print_settings()
           : *repairs    ? print_repairs()
           : *properties ? print_properties()
                         : manual(app.all_commands(), *name);
  };
}

}  // namespace

const Command manual_command{"manual", "Print a manual page (roff)", add};

}  // namespace tracer::cli
