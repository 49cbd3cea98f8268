// SPDX-License-Identifier: BSD-3-Clause
// The directory of an archive that is to be made: this user's, without an archive, and held by its descriptor. The OTF2
// library makes its files by name and follows links: nobody else may be able to leave one.
#pragma once

#include <filesystem>

#include "tracer/base/files/file.hpp"

namespace tracer::otf2 {

/// Makes the directory, and those above it, where they are not there. Throws tracer::Error.
UniqueFd claim_directory(const std::filesystem::path& path);

/// Makes in that directory, open as `place`, the one of the locations' files. Throws tracer::Error.
UniqueFd make_directory_of_locations(const UniqueFd& place, const std::filesystem::path& path);

}  // namespace tracer::otf2
