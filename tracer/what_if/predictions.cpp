// SPDX-License-Identifier: BSD-3-Clause
// What the model of a run says: how long each scenario takes, and how far the model itself is off.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/base/config.hpp"
#include "tracer/property_names.hpp"
#include "tracer/what_if/modeller.hpp"

namespace tracer::report {
namespace {

constexpr std::string_view digits = "0123456789";

/// "stencil.c:23"
bool is_file_and_line(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  return colon != text.npos && colon != 0 && colon + 1 < text.size() && text.find_first_of(" @") == text.npos &&
         text.find_first_not_of(digits, colon + 1) == text.npos;
}

/// Whether the text is a part of the name, but none that ends or begins within a number, or begins within a file's
/// name.
bool has_part(std::string_view name, std::string_view text) {
  const bool is_place = is_file_and_line(text);
  const auto is_digit = [](char c) { return digits.find(c) != digits.npos; };
  for (std::size_t at = name.find(text); at != name.npos; at = name.find(text, at + 1)) {
    const std::string_view before = name.substr(0, at), behind = name.substr(at + text.size());
    const bool cuts_number = !text.empty() && ((!behind.empty() && is_digit(text.back()) && is_digit(behind.front())) ||
                                               (!before.empty() && is_digit(text.front()) && is_digit(before.back())));
    const bool cuts_file = is_place && !before.empty() && before.back() != '@' && before.back() != '/';
    if (!cuts_number && !cuts_file) return true;
  }
  return false;
}

}  // namespace

/// Each process begins when it did.
std::uint64_t Modeller::wall(std::size_t scenario, std::uint64_t begin) {
  const std::vector<std::int64_t> delays = ranks_.any() ? ranks_.delays(scenario) : std::vector<std::int64_t>{};
  std::uint64_t end = begin;
  for (const Process& process : processes_) {
    if (process.last == 0) continue;
    const std::uint64_t its_end = process.rank < delays.size()
                                      ? process.end() + static_cast<std::uint64_t>(delays[process.rank])
                                      : process.first + process.serial() + process.in_regions[scenario];
    end = std::max(end, its_end);
  }
  return end - begin;
}

void Modeller::fill(WhatIf& result) {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  const Process* latest = nullptr;
  for (const Process& process : processes_) {
    if (process.last == 0) continue;
    ++result.processes;
    first = std::min(first, process.first);
    if (latest == nullptr || process.end() > latest->end()) latest = &process;
  }
  if (latest == nullptr) return;
  result.recorded = latest->end() - first;
  result.paused = latest->paused.value(latest->last);
  result.serial = latest->serial();
  result.threads = largest_;
  result.baseline.wall = wall(0, first);
  result.why_off = why_off();
  const auto is_on_libgomp = [](const std::vector<Property>& known) {
    return std::any_of(known.begin(), known.end(),
                       [](const Property& one) { return one.name.starts_with(properties::run_libgomp); });
  };
  const bool has_libgomp = is_on_libgomp(definitions_.properties) ||
                           std::any_of(definitions_.groups_of_locations.begin(), definitions_.groups_of_locations.end(),
                                       [&](const LocationGroup& process) { return is_on_libgomp(process.properties); });
  if (work_ != 0 && (has_libgomp || result.lacks.lacks(record_work)))
    result.unseen = static_cast<double>(outside_) / static_cast<double>(work_);
  for (std::size_t s = 1; s < all_.size(); ++s) {
    Prediction prediction;
    prediction.scenario = all_[s];
    prediction.wall = wall(s, first);
    prediction.balanced_matched = balanced_matched_[s] || all_[s].balanced.empty();
    prediction.lock_matched = lock_matched_[s] || all_[s].without_lock.empty();
    const std::string& wanted = prediction.balanced_matched ? all_[s].without_lock : all_[s].balanced;
    for (std::size_t region = 0; region < definitions_.regions.size() && !prediction.matched(); ++region)
      if (prediction.named.empty() && names(region, wanted)) prediction.named = definitions_.regions[region].name;
    result.predictions.push_back(prediction);
  }
}

/// Where the model is furthest from what was recorded, and what it lacks there.
std::string Modeller::why_off() const {
  const auto worst = std::max_element(
      off_.begin(), off_.end(), [](const auto& a, const auto& b) { return std::abs(a.second) < std::abs(b.second); });
  if (worst == off_.end() || worst->second == 0 || worst->first >= definitions_.regions.size()) return "";
  std::string text = "most of that in " + definitions_.regions[worst->first].name;
  if (has_unseen_chunks_.at(worst->first))
    return text + ", whose loops hand out chunks that are not in the trace: record them, TRACER_RECORD=+chunks";
  return text + (worst->second < 0 ? ", whose threads lose more than waiting for work, tasks and locks explains"
                                   : ", whose threads do more at the same time than its barriers and locks explain");
}

/// Whether a region's name, or its file and line, is meant by `text`.
bool Modeller::names(std::size_t region, const std::string& text) const {
  const Region& known = definitions_.regions[region];
  const std::string place = known.source_file + ":" + std::to_string(known.begin_line);
  return has_part(known.name, text) || place == text ||
         (place.size() > text.size() && place.ends_with(text) && place[place.size() - text.size() - 1] == '/');
}

}  // namespace tracer::report
