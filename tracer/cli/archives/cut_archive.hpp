// SPDX-License-Identifier: BSD-3-Clause
// An archive of what is seen of another: a part, or without what a filter leaves out. And what is not seen of it.
#pragma once

#include <filesystem>
#include <string>

#include "tracer/cli/archives/filter_options.hpp"
#include "tracer/event_source.hpp"

namespace tracer::cli {

/// Says which events of the archive the last read() of `source` left out, since there are none of their kind here.
void print_untranslated(const EventSource& source);

/// Into a new directory, which has its name when it is whole; the samples go with it. Returns a line to print. With
/// `distinct` no two events of a location have one time (convert/distinct_times.hpp), and samples, whose times are
/// nanoseconds, stay out. Throws tracer::Error, also where the directory exists.
std::string write_archive_of(FilteredArchive& archive, const std::filesystem::path& directory, bool distinct = false);

}  // namespace tracer::cli
