// SPDX-License-Identifier: BSD-3-Clause
// What a subcommand of `tracer` is: a name, one line, and a function that adds its options.
#pragma once

#include <functional>

#include "tracer/cli/options/arguments.hpp"
#include "tracer/error.hpp"

namespace tracer::cli {

/// Exit status: `ok`; `failure` for findings and for what could not be done; `usage` for what makes no sense.
enum ExitStatus : int { ok = 0, failure = 1, usage = 2 };

/// `add` declares the options on `app` and sets `action`, which runs after a successful parse and
/// returns the exit status. tracer::Error thrown by it becomes one line on stderr and status 1, tracer::UsageError
/// status 2.
struct Command {
  const char* name;
  const char* summary;
  void (*add)(Arguments& app, std::function<int()>& action);
};

/// What follows the first "--" of `tracer run`, ended by a null pointer, which the option parser does not see;
/// nullptr without one.
char** after_dashes() noexcept;

// One per file tracer/cli/<command>.cpp; main.cpp lists them.
extern const Command run_command;
extern const Command convert_command;
extern const Command report_command;
extern const Command check_command;
extern const Command export_command;
extern const Command info_command;
extern const Command samples_command;
extern const Command view_command;
extern const Command what_if_command;
extern const Command diff_command;
extern const Command top_command;
extern const Command snapshot_command;
extern const Command attach_command;
extern const Command recover_command;
extern const Command merge_command;
extern const Command completion_command;
extern const Command manual_command;

}  // namespace tracer::cli
