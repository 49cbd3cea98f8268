// SPDX-License-Identifier: BSD-3-Clause
// See plugin.hpp.
#include "tracer/ompd/plugin.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "tracer/base/files/file_identity.hpp"

namespace tracer::ompd {
namespace {

namespace fs = std::filesystem;

/// Debian keeps each LLVM's plugin in /usr/lib/llvm-NN/lib; the newest first: they read older runtimes.
std::vector<std::string> system_plugins() {
  std::vector<std::pair<int, std::string>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/lib", error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("llvm-")) found.emplace_back(std::atoi(name.c_str() + 5), entry.path() / "lib/libompd.so");
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> paths;
  for (const auto& [version, path] : found) paths.push_back(path);
  for (const char* directory :
       {"/usr/local/lib", "/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"})
    paths.push_back(std::string{directory} + "/libompd.so");
  return paths;
}

/// Where the open file is now, all links followed.
std::string place_of(int fd) {
  char place[PATH_MAX];
  const ssize_t size = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), place, sizeof place);
  return size > 0 ? std::string(place, static_cast<std::size_t>(size)) : std::string{};
}

bool is_below(const std::string& place, const std::vector<std::string>& directories) {
  return std::any_of(directories.begin(), directories.end(), [&](const std::string& directory) {
    std::error_code error;
    const std::string whole = fs::canonical(directory, error).string() + "/";
    return !error && place.starts_with(whole);
  });
}

class Finder {
 public:
  Finder(bool is_callers, std::vector<std::string> safe_path, std::vector<std::string>& refused)
      : is_callers_(is_callers), safe_path_(std::move(safe_path)), refused_(refused) {
    for (const char* directory : {"/usr/lib", "/usr/lib64", "/usr/local/lib"}) safe_path_.emplace_back(directory);
  }

  void add(const std::string& path) {
    Plugin plugin{path, UniqueFd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)}};
    struct stat info {};
    if (!plugin.fd || ::fstat(plugin.fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
    const FileIdentity identity(info);
    if (std::any_of(seen_.begin(), seen_.end(), [&](const FileIdentity& file) { return file.is(identity); })) return;
    seen_.push_back(identity);
    const bool by_others =
        (info.st_mode & S_IWOTH) != 0 || ((info.st_mode & S_IWGRP) != 0 && info.st_gid != ::getegid());
    if ((info.st_uid != 0 && info.st_uid != ::geteuid()) || by_others) {
      refused_.push_back(path + " is not loaded: another user can write to it");
    } else if (!is_callers_ && !is_below(place_of(plugin.fd.get()), safe_path_)) {
      refused_.push_back(path +
                         " is not loaded: it is another user's or another container's process, or a core file that "
                         "may be anybody's; --ompd-safe-path names directories to be trusted all the same");
    } else {
      found.push_back(std::move(plugin));
    }
  }

  std::vector<Plugin> found;

 private:
  bool is_callers_;
  std::vector<std::string> safe_path_;
  std::vector<std::string>& refused_;
  std::vector<FileIdentity> seen_;
};

}  // namespace

std::vector<Plugin> find_plugins(const Target& target, const std::vector<std::string>& named,
                                 const std::string& beside_runtime, const PluginChoice& choice,
                                 std::vector<std::string>& refused) {
  if (!choice.file.empty()) {
    std::vector<Plugin> one;
    one.push_back({choice.file, UniqueFd{::open(choice.file.c_str(), O_RDONLY | O_CLOEXEC)}});
    return one;
  }
  Finder finder{target.is_callers(), choice.safe_path, refused};
  // By these names here: what a process in another root directory means by them is not requested.
  for (const std::string& name : named) {
    if (name.starts_with('/')) finder.add(name);
  }
  finder.add(beside_runtime);
  for (const std::string& path : system_plugins()) finder.add(path);
  return std::move(finder.found);
}

}  // namespace tracer::ompd
