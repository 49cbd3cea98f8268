// SPDX-License-Identifier: BSD-3-Clause
// Writes what OMPD found as an OTF2 archive.
#pragma once

#include <map>
#include <string>

namespace tracer::ompd {
class RecordBuilder;
}

namespace tracer::cli {

/// Into `directory`, "" for ./tracer-<program>-<date>-<time>-<pid>; prints its path on stdout. `how`: the provenance
/// that the archive carries (TRACER::PROVENANCE), "attach" or "snapshot". `end`: what is known of the process' end, as
/// facts of the run.
void write_ompd_archive(const ompd::RecordBuilder& records, const std::string& directory, const char* how,
                        const std::map<std::string, std::string>& end);

/// Before the work whose result is written there: throws tracer::Error where write_ompd_archive() could not.
void require_place_for_ompd_archive(const std::string& directory);

}  // namespace tracer::cli
