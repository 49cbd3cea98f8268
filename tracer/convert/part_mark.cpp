// SPDX-License-Identifier: BSD-3-Clause
// See part_mark.hpp.
#include "tracer/convert/part_mark.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "tracer/base/files/regular_file.hpp"
#include "tracer/convert/recover.hpp"
#include "tracer/error.hpp"

namespace tracer {
namespace {

constexpr const char* mark_name = "traces.part";

}  // namespace

void PartMark::clear(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / mark_name;
  const RegularFile file = open_regular(path.c_str(), Links::refuse, O_RDWR);  // as NFS wants it of who locks
  if (!file || file.owner != ::geteuid()) return;
  if (::flock(file.fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) throw Error("another process makes an archive in " + directory.string());
    throw Error("part of an archive is in " + directory.string() +
                ": another process makes it, or one that was killed has left it, which cannot be told on a file system "
                "without locks; remove it, or choose another place");
  }
  remove_half_archive(directory);
  ::unlink(path.c_str());
}

PartMark::PartMark(const std::filesystem::path& directory)
    : path_{directory / mark_name}, file_{make_private_file(path_.c_str())} {
  if (file_) ::flock(file_.get(), LOCK_EX | LOCK_NB);
}

void PartMark::whole() {
  if (file_) ::unlink(path_.c_str());
}

}  // namespace tracer
