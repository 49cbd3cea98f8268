// SPDX-License-Identifier: BSD-3-Clause
// See claim.hpp.
#include "formats/otf2/write/claim.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/files/permissions.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace fs = std::filesystem;
namespace {

/// False: it is there already.
bool make_directory(const fs::path& path) {
  if (::mkdir(path.c_str(), 0755) == 0) return true;
  const int error = errno;
  struct stat found {};
  if (error == EEXIST && ::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) return false;
  throw Error("cannot make the directory " + path.string() + ": " + std::strerror(error));
}

}  // namespace

UniqueFd claim_directory(const fs::path& path) {
  const fs::path directory =
      path.parent_path() == "/proc/self/fd" ? path / "." : path;  // what is open, not the link to it
  std::error_code error;
  if (directory.has_parent_path()) fs::create_directories(directory.parent_path(), error);
  const bool made = make_directory(directory);
  open_private_directory(directory);  // an empty one becomes this user's alone
  UniqueFd place{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat found {};
  if (!place || ::fstat(place.get(), &found) != 0)
    throw Error(system_message("cannot open " + directory.string(), errno));
  if (found.st_uid != ::geteuid() || (!made && (found.st_mode & S_IWOTH) != 0)) {
    throw Error("others can write in " + directory.string() +
                ": an archive is not made where they may have left links; choose another directory");
  }
  for (const char* taken : {"traces.otf2", "traces.def", "traces"}) {
    if (::fstatat(place.get(), taken, &found, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
      throw Error("there is an archive already: " + (directory / taken).string() + "; choose another directory");
  }
  return place;
}

UniqueFd make_directory_of_locations(const UniqueFd& place, const fs::path& path) {
  constexpr const char* name = "traces";
  if (::mkdirat(place.get(), name, 0755) != 0 && errno != EEXIST)
    throw Error(system_message("cannot make the directory " + (path / name).string(), errno));
  keep_from_writing(place.get(), name);
  UniqueFd locations{::openat(place.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!locations) throw Error(system_message("cannot open " + (path / name).string(), errno));
  return locations;
}

}  // namespace tracer::otf2
