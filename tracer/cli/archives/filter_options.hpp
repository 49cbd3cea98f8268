// SPDX-License-Identifier: BSD-3-Clause
// The options that choose what of a trace is read, the same for every command that reads one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/cli/options/arguments.hpp"
#include "tracer/cut/filter.hpp"
#include "tracer/cut/part.hpp"
#include "tracer/event_source.hpp"
#include "tracer/index/contents.hpp"
#include "tracer/samples.hpp"

namespace tracer::cli {

struct FilterOptions {
  std::string file;
  std::vector<std::string> exclude, include;  ///< include alone: nothing else is kept
  std::vector<std::string> phases;            ///< names with * and ?
  std::string from, to, threads, ranks;       ///< of the part of the trace
  void add_to(Arguments& app);
  /// Those of the part alone.
  void add_part_to(Arguments& app);
  report::Filter filter() const;
  report::Part part() const;  ///< throws tracer::Error
};

/// The archive's index where a part can begin by it. One is made where many events lie before the part, and it can be
/// kept; not where that has some threads alone, which can begin there only where they have no tasks in common
/// (`has_whole_processes`). Null: there is none.
std::shared_ptr<const index::Contents> index_for(otf2::PositionedSource& source, const report::Part& part,
                                                 bool has_whole_processes);

/// Functions without symbols in samples: as people read them, or as they were recorded.
enum class Nameless : std::uint8_t { by_file, by_address };

/// A trace and the filter in front of it.
class FilteredArchive {
 public:
  FilteredArchive(const std::string& archive, const FilterOptions& options);
  EventSource& source() { return *views_.back(); }
  const std::string& path() const { return path_; }
  bool is_cut() const { return views_.size() > 1; }
  /// A line that names the patterns of --exclude and --include that mean nothing in the trace, if there are any.
  void print_unmatched() const;
  /// Those beside the archive; null: there are none, or they cannot be read, with a message. The first call decides.
  const samples::SampleSet* samples(Nameless nameless = Nameless::by_file);
  /// The same; throws tracer::Error where there are none.
  const samples::SampleSet& need_samples(Nameless nameless = Nameless::by_file);

 private:
  void load_samples(Nameless nameless);
  std::string path_;
  report::Filter filter_;
  std::vector<std::string> patterns_;  ///< of --exclude and --include
  bool is_part_ = false;
  std::vector<std::unique_ptr<EventSource>> views_;  ///< the archive, and each what is seen of the one before
  std::optional<samples::SampleSet> samples_;
  bool samples_read_ = false;
};

}  // namespace tracer::cli
