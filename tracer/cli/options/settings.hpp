// SPDX-License-Identifier: BSD-3-Clause
// Settings of programs as `tracer run --set` takes them (NAME=VALUE).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tracer/base/config.hpp"

namespace tracer::cli {

/// Name and value of NAME=VALUE, the name with TRACER_.
std::pair<std::string, std::string> parsed_setting(const std::string& setting);

/// Throws UsageError for a name that is no setting's, and for a value that is not allowed. `written`: what the user
/// wrote, for the message.
void check_setting(const std::string& name, const std::string& value, const std::string& written);
/// The same for settings as --set takes them.
void check_settings(const std::vector<std::string>& settings);

/// Of a program that `tracer run` starts with `settings`: they go before the environment.
Config program_settings(const std::vector<std::string>& settings);

}  // namespace tracer::cli
