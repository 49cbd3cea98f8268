// SPDX-License-Identifier: BSD-3-Clause
// Directories of this user's alone, held open: in places that others can write they may rename what lies there, and put
// a link or a directory of theirs in its place, between any two of our calls.
#pragma once

#include <sys/stat.h>
#include <filesystem>
#include <functional>
#include <string>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/file_identity.hpp"

namespace tracer {

/// This user's directory.
bool is_own_directory(const struct stat& info) noexcept;
/// The same of what is at `path`; no link to one.
bool is_own_directory(const std::filesystem::path& path) noexcept;

/// Whether there is nothing in the open directory but what `may_be` there.
bool is_empty(int directory, const std::function<bool(const std::string& name)>& may_be);

/// A directory of this user's that no one else can write, opened without following a link at its end. A directory that
/// is empty and his is made so.
UniqueFd open_private_directory(const std::filesystem::path& path) noexcept;

/// A path to the directory that is open, that no renaming on the way leads elsewhere; `otherwise` where there is no
/// /proc.
std::filesystem::path path_of_descriptor(int fd, const std::filesystem::path& otherwise);

/// Whether `path` still leads to what is open: in places that others can write they may put something else there.
bool leads_to(const std::filesystem::path& path, int fd) noexcept;

/// Why a trace does not go to `wanted`, which exists: "is not empty", "is no directory", ...
std::string why_not_taken(const std::filesystem::path& wanted);

/// A private directory that stays open through the life of a program that may close every descriptor.
class OwnDirectory {
 public:
  OwnDirectory() = default;
  /// Not open where `path` is a link, no directory, another user's, or one in which others can write and something is.
  explicit OwnDirectory(const std::filesystem::path& path) noexcept;
  OwnDirectory(OwnDirectory&& other) noexcept { *this = std::move(other); }
  OwnDirectory& operator=(OwnDirectory&& other) noexcept;
  ~OwnDirectory();
  explicit operator bool() const noexcept { return bool(identity_); }
  /// A path to it, whatever `path` leads to by now. Where the descriptor is gone: `path`, while that leads to it, or
  /// "".
  std::filesystem::path at(const std::filesystem::path& path) const;

 private:
  UniqueFd fd_;
  FileIdentity identity_;
};

/// `message` with the paths to which descriptors lead in the place of /proc/self/fd/N, which only this process can
/// open. Every message of a command and of the tool goes through it.
std::string with_names_of_descriptors(std::string message);

/// `message` with the user's path in the place of `at`.
std::string with_path(std::string message, const std::filesystem::path& at, const std::filesystem::path& path);

}  // namespace tracer
