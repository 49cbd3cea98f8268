// SPDX-License-Identifier: BSD-3-Clause
// See output_pattern.hpp.
#include "tracer/job/output_pattern.hpp"

#include <cstdio>

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

}  // namespace

std::string utc_time_name(std::chrono::sys_seconds time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss<std::chrono::seconds> of_day{time - day};
  char text[96];
  std::snprintf(text, sizeof text, "%04d%02u%02u-%02d%02d%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(of_day.hours().count()), static_cast<int>(of_day.minutes().count()),
                static_cast<int>(of_day.seconds().count()));
  return text;
}

std::string expand_output(const std::string& pattern, const OutputNames& names) {
  std::string result;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      result += pattern[i];
      continue;
    }
    switch (pattern[++i]) {
      case 'x':
        result += component(std::filesystem::path(names.program).filename().string());
        break;
      case 'p':
        result += std::to_string(names.process_id);
        break;
      case 'h':
        result += component(names.host);
        break;
      case 't':
        result += names.time;
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

std::string pattern_of_job(const std::string& pattern, const std::string& job) {
  if (pattern.empty() || pattern == default_output) {
    constexpr const char* named = "name-";
    return job.starts_with(named) ? "tracer-" + job.substr(5) : "tracer-%x-" + job;
  }
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '%') continue;
    if (pattern[i + 1] == 'p' || pattern[i + 1] == 'h' || pattern[i + 1] == 't') return {};
    ++i;
  }
  return pattern;
}

std::string literal_output(const std::filesystem::path& path) {
  std::string pattern;
  for (const char c : path.string()) pattern += c == '%' ? std::string{"%%"} : std::string{c};
  return pattern;
}

std::filesystem::path place_of(const std::string& expanded, const std::filesystem::path& working_directory) {
  std::filesystem::path place = expanded;
  if (place.is_relative()) place = working_directory / place;
  place = place.lexically_normal();
  return place.filename().empty() ? place.parent_path() : place;
}

}  // namespace tracer
