// SPDX-License-Identifier: BSD-3-Clause
// See own_directory.hpp.
#include "tracer/base/files/own_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace tracer {
namespace fs = std::filesystem;
namespace {

constexpr const char* descriptors = "/proc/self/fd/";

bool has_nothing(int directory) {
  return is_empty(directory, [](const std::string&) { return false; });
}

}  // namespace

bool is_own_directory(const struct stat& info) noexcept {
  return S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

bool is_own_directory(const fs::path& path) noexcept {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && is_own_directory(info);
}

bool is_empty(int directory, const std::function<bool(const std::string& name)>& may_be) {
  const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* listing = copy < 0 ? nullptr : ::fdopendir(copy);
  if (listing == nullptr) {
    if (copy >= 0) ::close(copy);
    return false;
  }
  bool empty = true;
  while (const dirent* entry = ::readdir(listing)) {
    const std::string name = entry->d_name;
    empty = empty && (name == "." || name == ".." || may_be(name));
  }
  ::closedir(listing);
  return empty;
}

std::string why_not_taken(const fs::path& wanted) {
  struct stat itself {
  }, target{};
  if (::lstat(wanted.c_str(), &itself) != 0) return "is gone again";
  if (S_ISLNK(itself.st_mode)) return "is a link";
  if (::stat(wanted.c_str(), &target) == 0 && !S_ISDIR(target.st_mode)) return "is no directory";
  if (!is_own_directory(target)) return "is another user's directory";
  if (::access(wanted.c_str(), W_OK | X_OK) != 0) return "cannot be written";
  return "is not empty";
}

UniqueFd open_private_directory(const fs::path& path) noexcept {
  UniqueFd fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0 || !is_own_directory(info)) return {};
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) == 0) return fd;
  try {
    if (!has_nothing(fd.get())) return {};
    if (::fchmod(fd.get(), info.st_mode & 07755) != 0) return {};
    if (!has_nothing(fd.get())) return {};  // whoever was faster has put something there
  } catch (...) {
    return {};
  }
  return fd;
}

fs::path path_of_descriptor(int fd, const fs::path& otherwise) {
  const std::string path = descriptors + std::to_string(fd) + "/.";  // what is open, not the link to it
  return FileIdentity::at(path.c_str(), true).is(FileIdentity::of(fd)) ? fs::path{path} : otherwise;
}

bool leads_to(const fs::path& path, int fd) noexcept {
  return FileIdentity::at(path.c_str(), false).is(FileIdentity::of(fd));
}

OwnDirectory::OwnDirectory(const fs::path& path) noexcept : fd_(moved_up(open_private_directory(path))) {
  if (fd_) identity_ = FileIdentity::of(fd_.get());
}

OwnDirectory& OwnDirectory::operator=(OwnDirectory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(identity_, other.identity_);
  return *this;
}

// The number may since belong to a file of the program.
OwnDirectory::~OwnDirectory() {
  if (fd_ && !identity_.is(FileIdentity::of(fd_.get()))) static_cast<void>(fd_.release());
}

fs::path OwnDirectory::at(const fs::path& path) const {
  if (!*this) return path;
  if (identity_.is(FileIdentity::of(fd_.get()))) return path_of_descriptor(fd_.get(), path);
  return identity_.is(FileIdentity::at(path.c_str(), false)) ? path : fs::path{};
}

std::string with_names_of_descriptors(std::string message) {
  const std::string_view begin = descriptors;
  for (std::size_t at = 0; (at = message.find(begin, at)) != message.npos;) {
    std::size_t end = std::min(message.find_first_not_of("0123456789", at + begin.size()), message.size());
    char path[4096];
    const ssize_t size =
        end == at + begin.size() ? 0 : ::readlink(message.substr(at, end - at).c_str(), path, sizeof path);
    if (size <= 0 || path[0] != '/') {
      at = end;
      continue;
    }
    const bool has_dot = message.compare(end, 2, "/.") == 0 && (end + 2 == message.size() || message[end + 2] == '/');
    message.replace(at, end + (has_dot ? 2 : 0) - at, path, static_cast<std::size_t>(size));
    at += static_cast<std::size_t>(size);
  }
  return message;
}

std::string with_path(std::string message, const fs::path& at, const fs::path& path) {
  const std::string from = at.string(), to = path.string();
  for (std::size_t i = 0; !from.empty() && from != to && (i = message.find(from, i)) != message.npos; i += to.size())
    message.replace(i, from.size(), to);
  return message;
}

}  // namespace tracer
