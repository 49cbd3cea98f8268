// SPDX-License-Identifier: BSD-3-Clause
// Starts an OpenMP runtime in a process of its own, and reads its answers to the tool.
#pragma once

#include <filesystem>
#include <optional>

#include "tracer/journal.hpp"

namespace tracer::cli {

/// Loads `runtime` with `library` as its tool in a child process and reads the journal of that run.
/// nullopt: it did not start the tool. Leaves nothing behind.
std::optional<Journal> probe_runtime(const std::filesystem::path& runtime, const std::filesystem::path& library);

}  // namespace tracer::cli
