// SPDX-License-Identifier: BSD-3-Clause
// The umask decides what others may read of a trace; nobody but the user ever writes there.
#pragma once

#include <filesystem>

namespace tracer {

/// mkdir with mode 0755 less the umask; false when it, or a file, is there already. Throws tracer::Error
/// for any other failure, and for a device, beside which nothing is to be made.
bool make_readable_directory(const std::filesystem::path& path);

/// Likewise those above it that are not there.
void make_parents(const std::filesystem::path& path);

/// Takes from others the right to write what was made by the umask alone, and gives the user what the umask took.
void keep_from_writing(int directory, const char* name) noexcept;

}  // namespace tracer
