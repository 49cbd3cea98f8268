// SPDX-License-Identifier: BSD-3-Clause
// See own_directory.hpp.
#include "tracer/base/own_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

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
  struct stat by_path {
  }, by_fd{};
  const bool same = ::stat(path.c_str(), &by_path) == 0 && ::fstat(fd, &by_fd) == 0 && by_path.st_ino == by_fd.st_ino &&
                    by_path.st_dev == by_fd.st_dev;
  return same ? fs::path{path} : otherwise;
}

bool leads_to(const fs::path& path, int fd) noexcept {
  struct stat there {
  }, open{};
  return ::lstat(path.c_str(), &there) == 0 && ::fstat(fd, &open) == 0 && there.st_ino == open.st_ino &&
         there.st_dev == open.st_dev;
}

OwnDirectory::OwnDirectory(const fs::path& path) noexcept : fd_(moved_up(open_private_directory(path))) {
  struct stat info {};
  if (!fd_ || ::fstat(fd_.get(), &info) != 0) return;
  device_ = info.st_dev;
  inode_ = info.st_ino;
}

OwnDirectory& OwnDirectory::operator=(OwnDirectory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  return *this;
}

// The number may since belong to a file of the program.
OwnDirectory::~OwnDirectory() {
  struct stat info {};
  if (fd_ && (::fstat(fd_.get(), &info) != 0 || !is_it(info))) static_cast<void>(fd_.release());
}

fs::path OwnDirectory::at(const fs::path& path) const {
  if (!*this) return path;
  struct stat info {};
  if (::fstat(fd_.get(), &info) == 0 && is_it(info)) return path_of_descriptor(fd_.get(), path);
  return ::lstat(path.c_str(), &info) == 0 && is_it(info) ? path : fs::path{};
}

std::string with_path(std::string message, const fs::path& at, const fs::path& path) {
  const std::string from = at.string(), to = path.string();
  for (std::size_t i = 0; !from.empty() && from != to && (i = message.find(from, i)) != message.npos; i += to.size())
    message.replace(i, from.size(), to);
  return message;
}

}  // namespace tracer
