// SPDX-License-Identifier: BSD-3-Clause
// See launch_notes.hpp.
#include "tracer/base/launch_notes.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/files/write_signals.hpp"

namespace tracer {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t longest_note = 4096;

std::string beginning_of(const std::string& launch) {
  return ".note-" + launch + "-";
}

UniqueFd runs_of(const fs::path& job) {
  UniqueFd runs{::open((job / "runs").c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat info {};
  if (runs && (::fstat(runs.get(), &info) != 0 || !is_own_directory(info))) runs.reset();
  return runs;
}

}  // namespace

bool leave_note(const Config& config, LaunchNoteKind kind, std::string_view text) noexcept {
  const WithoutWriteSignals guard;
  try {
    if (config.launch.empty() || !config.launch_at.starts_with('/') || text.size() >= longest_note) return false;
    const UniqueFd runs = runs_of(config.launch_at);
    if (!runs) return false;
    const std::string name = beginning_of(config.launch) + random_name(), part = name + ".part";
    const std::string whole = static_cast<char>(kind) + std::string{text};
    const UniqueFd file = make_private_file(part.c_str(), runs.get());
    if (!file) return false;
    if (!write_whole(file.get(), whole) || ::renameat(runs.get(), part.c_str(), runs.get(), name.c_str()) != 0) {
      ::unlinkat(runs.get(), part.c_str(), 0);
      return false;
    }
    // `tracer run` reads the notes after it has renamed its own file there.
    struct stat info {};
    if (::fstatat(runs.get(), config.launch.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) return true;
    ::unlinkat(runs.get(), name.c_str(), 0);
  } catch (...) {
  }
  return false;
}

std::vector<LaunchNote> notes_of(const fs::path& job, const std::string& launch) {
  std::vector<LaunchNote> notes;
  const UniqueFd runs = runs_of(job);
  if (!runs) return notes;
  std::vector<std::string> names;
  DIR* const listing = ::fdopendir(::openat(runs.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (listing == nullptr) return notes;
  while (const dirent* entry = ::readdir(listing)) {
    const std::string name = entry->d_name;
    if (name.starts_with(beginning_of(launch)) && !name.ends_with(".part")) names.push_back(name);
  }
  ::closedir(listing);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const UniqueFd file = open_regular(name.c_str(), Links::refuse, O_RDONLY, runs.get()).fd;
    char text[longest_note];
    const ssize_t size = file ? ::read(file.get(), text, sizeof text) : 0;
    if (size > 0)
      notes.push_back(
          {static_cast<LaunchNoteKind>(text[0]), std::string{text + 1, static_cast<std::size_t>(size) - 1}});
  }
  return notes;
}

}  // namespace tracer
