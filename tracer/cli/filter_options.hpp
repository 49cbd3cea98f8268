// SPDX-License-Identifier: BSD-3-Clause
// The options that choose what of a trace is read, the same for every command that reads one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tracer/event_source.hpp"
#include "tracer/report/filter.hpp"
#include "tracer/report/part.hpp"
#include "tracer/samples.hpp"

namespace CLI {
class App;
}

namespace tracer::cli {

struct FilterOptions {
  std::string file;
  std::vector<std::string> exclude, include;  ///< include alone: nothing else is kept
  std::vector<std::string> phases;            ///< names with * and ?
  void add_to(CLI::App& app);
  report::Filter filter() const;
};

/// Which part of a trace is wanted.
struct PartOptions {
  std::string from, to, threads, ranks;
  void add_to(CLI::App& app);
  report::Part part() const;  ///< throws tracer::Error
};

/// A trace and the filter in front of it.
class FilteredArchive {
 public:
  FilteredArchive(const std::string& archive, const FilterOptions& options);
  EventSource& source() { return filtered_ != nullptr ? *filtered_ : within_ != nullptr ? *within_ : *source_; }
  const std::string& path() const { return path_; }
  bool is_filtered() const { return within_ != nullptr || filtered_ != nullptr; }
  /// Those beside the archive; null: there are none, or they cannot be read, which is said.
  const samples::SampleSet* samples();

 private:
  std::string path_;
  std::unique_ptr<EventSource> source_;
  std::unique_ptr<EventSource> within_;
  report::Filter filter_;
  std::unique_ptr<EventSource> filtered_;
  std::optional<samples::SampleSet> samples_;
  bool samples_read_ = false;
};

}  // namespace tracer::cli
