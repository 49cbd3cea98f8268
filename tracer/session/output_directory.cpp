// SPDX-License-Identifier: BSD-3-Clause
// Names and makes the archive's directory; what exists and is not empty is never used.
#include "tracer/session/output_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <ctime>

#include "tracer/base/file.hpp"
#include "tracer/error.hpp"

namespace tracer {
namespace {

/// A name component: no separators, nothing that shells trip over.
std::string component(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/' || byte <= ' ' || byte == 0x7f) c = '_';
  }
  return text.empty() || text == "." || text == ".." ? "program" : text;
}

std::string timestamp() {
  const std::time_t seconds = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local)};
}

std::string expand(const std::string& pattern, const RunInfo& run) {
  const std::string program = component(std::filesystem::path(run.program).filename().string());
  std::string result;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      result += pattern[i];
      continue;
    }
    switch (pattern[++i]) {
      case 'x':
        result += program;
        break;
      case 'p':
        result += std::to_string(run.process_id);
        break;
      case 'h':
        result += component(run.host);
        break;
      case 't':
        result += timestamp();
        break;
      case '%':
        result += '%';
        break;
      default:
        result.append(1, '%').append(1, pattern[i]);
    }
  }
  return result;
}

/// There, a real directory of this user, and nothing in it.
bool is_usable(const std::filesystem::path& path) {
  struct stat info {};
  std::error_code error;
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() &&
         ::access(path.c_str(), W_OK | X_OK) == 0 && std::filesystem::is_empty(path, error) && !error;
}

void make_parents(const std::filesystem::path& path) {
  std::filesystem::path built;
  for (const auto& part : path.parent_path()) {
    built /= part;
    struct stat info {};
    if (::stat(built.c_str(), &info) == 0) continue;
    make_private_directory(built);
  }
}

}  // namespace

OutputDirectory make_output_directory(const Config& config, const RunInfo& run) {
  const std::string pattern = config.output.empty() ? "tracer-%x-%t-%p" : config.output;
  OutputDirectory result;
  std::filesystem::path wanted = expand(pattern, run);
  if (wanted.is_relative()) wanted = std::filesystem::path(run.working_directory) / wanted;
  wanted = wanted.lexically_normal();
  if (wanted.filename().empty()) wanted = wanted.parent_path();
  result.wanted = wanted;
  make_parents(wanted);
  constexpr int most_attempts = 100000;
  for (int attempt = 1; attempt < most_attempts; ++attempt) {
    result.path = attempt == 1 ? wanted : std::filesystem::path(wanted.string() + "." + std::to_string(attempt));
    result.renamed = attempt > 1;
    // `raw` is made exclusively and decides between processes that want the same name.
    if (!make_private_directory(result.path) && !is_usable(result.path)) continue;
    if (make_private_directory(result.path / "raw")) return result;
  }
  throw Error("cannot find a free name for " + wanted.string());
}

}  // namespace tracer
