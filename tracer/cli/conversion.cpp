// SPDX-License-Identifier: BSD-3-Clause
// Finds raw traces and makes archives of them.
#include "tracer/cli/conversion.hpp"

#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "formats/raw/reader.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/terminal.hpp"
#include "tracer/convert/recover.hpp"
#include "tracer/error.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;

void say_waiting(const fs::path& directory) {
  print_note("another process makes the archive in " + directory.string() + "; waiting for it");
}

ConvertResult convert_with_progress(const fs::path& raw, const fs::path& directory, ConvertOptions options) {
  Progress progress{"converting"};
  options.progress = [&](double share) { progress.update(share); };
  options.waiting = [&] { say_waiting(directory); };
  if (raw::open_trace(raw)->report().complete || directory != raw) return convert(raw, directory, options);
  return recover(raw, options).archive;
}

ConvertOptions conversion_settings(const std::vector<std::string>& settings) {
  const auto value_of = [&](const std::string& name) -> std::string {
    for (const std::string& setting : settings) {
      for (const std::string& prefix : {name + "=", "TRACER_" + name + "="}) {
        if (setting.starts_with(prefix)) return setting.substr(prefix.size());
      }
    }
    const char* value = std::getenv(("TRACER_" + name).c_str());
    return value == nullptr ? "" : value;
  };
  ConvertOptions options;
  options.threads = static_cast<unsigned>(parse_number(value_of("THREADS")).value_or(0));
  const std::string keep = value_of("KEEP_RAW");
  options.keep_raw = keep == "on" || keep == "1" || keep == "yes" || keep == "true";
  return options;
}

std::string output_pattern(const std::string& given) {
  std::string pattern = given;
  if (pattern.empty()) {
    const char* setting = std::getenv("TRACER_OUTPUT");
    pattern = setting != nullptr && *setting != '\0' ? setting : "tracer-%x-%t-%p";
  }
  pattern = fs::absolute(pattern).lexically_normal().string();
  while (pattern.size() > 1 && pattern.back() == '/') pattern.pop_back();
  return pattern;
}

std::vector<fs::path> new_raw_traces(const std::string& pattern, fs::file_time_type began) {
  const fs::path as_path{pattern};
  std::string wanted;
  for (const char c : as_path.filename().string()) {  // a file name pattern that any expansion fits
    if (c == '*' || c == '?' || c == '[' || c == '\\') wanted += '\\';
    wanted += c;
  }
  for (const char* escape : {"%x", "%p", "%h", "%t"}) {
    for (std::size_t at; (at = wanted.find(escape)) != std::string::npos;) wanted.replace(at, 2, "*");
  }
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator it{as_path.parent_path(), error}, end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (fnmatch(wanted.c_str(), name.c_str(), 0) != 0 && fnmatch((wanted + ".*").c_str(), name.c_str(), 0) != 0)
      continue;
    std::error_code none;
    const auto written = fs::last_write_time(it->path() / "raw", none);
    // Directories' times are those of the kernel's last tick: a little early.
    if (!none && written >= began - std::chrono::milliseconds{50}) found.emplace_back(written, it->path());
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> paths;
  for (auto& [time, path] : found) paths.push_back(std::move(path));
  return paths;
}

bool is_own_place(const fs::path& directory) {
  struct stat info {};
  if (::stat(directory.c_str(), &info) != 0) return errno == ENOENT;
  return info.st_uid == ::geteuid() && (info.st_mode & S_IWOTH) == 0;
}

void require_own_place(const fs::path& directory, const std::string& what_else) {
  const fs::path place = directory.empty() ? fs::path{"."} : directory;
  if (!is_own_place(place)) throw Error{place.string() + " is not yours alone, nothing is written there; " + what_else};
}

std::string shell_word(const std::string& word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:@%") ==
          std::string::npos &&
      !word.empty())
    return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return quoted + "'";
}

}  // namespace tracer::cli
