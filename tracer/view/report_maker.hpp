// SPDX-License-Identifier: BSD-3-Clause
// The reports of the traces that are viewed, in the form in which the report's page has them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tracer/samples.hpp"

namespace tracer::view {

/// Makes them when they are first asked for, one after the other on a thread of its own. Several threads at a time.
class ReportMaker {
 public:
  struct Wanted {
    std::filesystem::path anchor;
    std::string title;
    std::uint64_t stamp = 0;                     ///< of the archive that was opened
    std::size_t first_lane = 0, first_name = 0;  ///< of its lanes and names on the page
    std::function<std::optional<samples::SampleSet>()> samples;
  };
  explicit ReportMaker(std::vector<Wanted> wanted) : wanted_{std::move(wanted)} {}
  ~ReportMaker();
  ReportMaker(const ReportMaker&) = delete;
  ReportMaker& operator=(const ReportMaker&) = delete;

  /// JSON: `ready`, `share` of what is read, `failure`; once they are ready, `sides`.
  std::string answer();

 private:
  void work();
  std::string side(std::size_t number);

  const std::vector<Wanted> wanted_;
  std::mutex mutex_;  ///< of what follows
  std::string answer_, failure_;
  std::thread thread_;
  std::atomic<double> share_{0};
  std::atomic<bool> must_end_{false};
};

}  // namespace tracer::view
