// SPDX-License-Identifier: BSD-3-Clause
// Files that commands write, or standard output.
#pragma once

#include <functional>
#include <ostream>
#include <string>

namespace tracer::cli {

/// Runs `write` on a file of that name, or on standard output for "" and "-". What is no regular file (a pipe, a
/// device) is written to as it is. Throws tracer::Error.
void write_output(const std::string& path, const std::function<void(std::ostream&)>& write);

/// Why write_output() could not begin now: `path` is a directory, or its directory is missing or may not be written
/// into. "": it could; whether there is room remains to be seen. Changes nothing. Any thread.
std::string why_not_writable(const std::string& path);
/// Before the work whose result write_output() is to write: throws tracer::Error with why_not_writable().
void require_writable(const std::string& path);

}  // namespace tracer::cli
