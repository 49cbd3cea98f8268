// SPDX-License-Identifier: BSD-3-Clause
// See regular_file.hpp.
#include "tracer/base/files/regular_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "tracer/error.hpp"

namespace tracer {
namespace {

const char* kind_of(mode_t mode) noexcept {
  if (S_ISREG(mode)) return "a file";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  if (S_ISLNK(mode)) return "a symbolic link";
  return "something else";
}

bool is_regular(const struct stat& info, RegularFile& file) noexcept {
  if (S_ISREG(info.st_mode)) return true;
  file.kind = kind_of(info.st_mode);
  file.error = EINVAL;
  return false;
}

bool look_at(const std::filesystem::path& path, struct stat& info) {
  if (::stat(path.c_str(), &info) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  throw Error(system_message("cannot look at " + path.string(), errno));
}

}  // namespace

std::string RegularFile::message(const std::filesystem::path& path) const {
  const std::string what = "cannot read " + path.string();
  return kind != nullptr ? what + ": it is " + kind + ", not a regular file" : system_message(what, error);
}

// Looked at before it is opened: to open a device may already do something. Looked at again when it is open, as another
// may have taken its place meanwhile.
RegularFile open_regular(const char* path, Links links, int access, int directory) noexcept {
  RegularFile file;
  struct stat info {};
  const bool follows = links == Links::follow;
  if (::fstatat(directory, path, &info, follows ? 0 : AT_SYMLINK_NOFOLLOW) != 0) {
    file.error = errno;
  } else if (is_regular(info, file)) {
    const int how = access | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follows ? 0 : O_NOFOLLOW);
    file.fd = UniqueFd{::openat(directory, path, how)};
    if (!file.fd || ::fstat(file.fd.get(), &info) != 0)
      file.error = errno;
    else if (is_regular(info, file)) {
      file.size = static_cast<std::uint64_t>(info.st_size);
      file.owner = info.st_uid;
    }
  }
  if (file.error != 0) {
    file.fd.reset();
    errno = file.error;
  }
  return file;
}

RegularFile open_to_read(const std::filesystem::path& path, Links links) {
  RegularFile file = open_regular(path.c_str(), links);
  if (!file) throw Error(file.message(path));
  return file;
}

RegularInput::RegularInput(const std::filesystem::path& path, Links links) : stream_{nullptr, &std::fclose} {
  RegularFile file = open_to_read(path, links);
  size_ = file.size;
  stream_.reset(::fdopen(file.fd.get(), "rb"));
  if (stream_ == nullptr) throw Error(system_message("cannot read " + path.string(), errno));
  static_cast<void>(file.fd.release());
}

bool RegularInput::read(void* to, std::uint64_t bytes) noexcept {
  return std::fread(to, 1, bytes, stream_.get()) == bytes;
}

bool is_found(const std::filesystem::path& path) {
  struct stat info {};
  return look_at(path, info);
}

void require_directory(const std::filesystem::path& path) {
  struct stat info {};
  if (!look_at(path, info)) throw Error(path.string() + " does not exist.");
  if (!S_ISDIR(info.st_mode)) throw Error(path.string() + " is " + kind_of(info.st_mode) + ", not a directory.");
}

std::string read_regular(const std::filesystem::path& path, std::size_t most) {
  const RegularFile file = open_regular(path.c_str(), Links::follow);
  if (!file) return {};
  std::string text(std::min<std::uint64_t>(file.size, most), '\0');
  return read_at(file.fd.get(), text.data(), text.size(), 0) ? text : std::string{};
}

}  // namespace tracer
