// SPDX-License-Identifier: BSD-3-Clause
// Writes a timeline into an SQLite database; docs/formats/sqlite.md describes the tables.
#pragma once

#include <filesystem>
#include <memory>

#include "tracer/timeline.hpp"

namespace tracer {

/// Replaces `file`. Throws tracer::Error. The database is complete after finish().
std::unique_ptr<TimelineVisitor> make_sqlite_writer(const Definitions& definitions, const std::filesystem::path& file);

}  // namespace tracer
