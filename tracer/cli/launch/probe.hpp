// SPDX-License-Identifier: BSD-3-Clause
// Starts an OpenMP runtime in a process of its own, and reads its answers to the tool.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tracer/journal.hpp"

namespace tracer::cli {

/// What a runtime answered: its run's journal; none where it did not start the tool, or where that is unknown.
struct Probe {
  std::optional<Journal> journal;
  std::string why_unknown;  ///< why it could not be asked; "" it was
};

/// Loads `runtime` with `library` as its tool in a child process and reads the journal of that run. Leaves nothing
/// behind.
Probe probe_runtime(const std::filesystem::path& runtime, const std::filesystem::path& library);

}  // namespace tracer::cli
