// SPDX-License-Identifier: BSD-3-Clause
// What the rings of a process that goes on contain now: it may write over all of it before a reader comes there.
#pragma once

#include <filesystem>

#include "formats/raw/spool_reader.hpp"

namespace tracer::raw {

/// Copies the rings of `spool`, which has the copy in their place afterwards: a file without a name in `directory`, or
/// memory where none can be made there. What a ring had released before its copy was made is left out. The segments
/// have it by then. Throws tracer::Error.
void copy_rings(SpoolFile& spool, const std::filesystem::path& directory);

}  // namespace tracer::raw
