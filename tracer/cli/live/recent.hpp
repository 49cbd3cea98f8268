// SPDX-License-Identifier: BSD-3-Clause
// `tracer top --recent`: an archive of the last moments of a run that goes on.
#pragma once

#include <filesystem>
#include <string>

namespace tracer::cli {

/// What the run in `recorded` (its directory) did in the last `duration` ("2s"), as far as it is recorded: an archive
/// in `directory`, "": ./tracer-PROGRAM-TIME-PID. The run goes on undisturbed. Throws tracer::Error.
void write_recent(const std::filesystem::path& recorded, const std::string& duration, const std::string& directory);

}  // namespace tracer::cli
