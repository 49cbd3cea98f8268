// SPDX-License-Identifier: BSD-3-Clause
// One trace on the page: its slices, arrows, counters, tasks and critical path, in the form that the page decodes.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "tracer/replay/path_steps.hpp"
#include "tracer/report/page/html.hpp"
#include "tracer/report/page/samples.hpp"
#include "tracer/report/page/slice_rows.hpp"
#include "tracer/report/page/task_graph.hpp"

namespace tracer::report {

class PageSide {
 public:
  /// Reads the trace, twice when it has more slices than fit. On the page its locations and names are numbered from
  /// those given on. `trace` stays the caller's, and there.
  PageSide(const PageTrace& trace, const HtmlOptions& options, std::size_t first_location, std::size_t first_name,
           const std::function<void(double)>& progress);
  /// Adds what this trace has to the page's lists.
  void add_to(nlohmann::json& meta) const;
  /// The rows, in the order of meta["rows"].
  const SliceRows& slices() const { return slices_; }
  /// Those of all locations; "" without samples.
  std::string_view samples() const { return samples_ ? std::string_view{samples_->bytes()} : std::string_view{}; }
  std::size_t locations() const { return trace_.source->definitions().locations.size(); }
  /// slice_names(), and the one of short slices that are put together.
  std::size_t names() const { return trace_.source->definitions().regions.size() + names_beyond_regions + 1; }

 private:
  void read(const std::function<void(double)>& progress);
  std::vector<bool> drawn_names() const;
  void add_names(nlohmann::json& meta) const;
  void add_slices(nlohmann::json& meta) const;
  void add_counters(nlohmann::json& meta) const;
  nlohmann::json tasks() const;
  nlohmann::json path() const;
  nlohmann::json bands() const;
  nlohmann::json processes() const;

  const PageTrace& trace_;
  const HtmlOptions options_;
  const std::size_t first_location_, first_name_;
  std::uint64_t threshold_ = 0, left_out_ = 0;
  SliceRows slices_;
  TaskGraph task_graph_;
  Trail path_;  ///< the longest of the whole run
  std::optional<SampleJoin> sample_join_;
  std::optional<SamplePaths> sample_paths_;
  std::optional<PageSamples> samples_;  ///< of those two
};

}  // namespace tracer::report
