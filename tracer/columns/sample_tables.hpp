// SPDX-License-Identifier: BSD-3-Clause
// The tables of samples and of times in which threads did not run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/columns/file_set.hpp"
#include "tracer/timeline.hpp"

namespace tracer::columns {

class SampleTables final : public TimelineVisitor {
 public:
  /// `origin`: the time from which the tables count. `files` stay the caller's, and there.
  SampleTables(FileSet& files, std::uint64_t origin) : files_{files}, origin_{origin} {}
  void sampled_path(const SampledPath& path) override;
  void sampled_counter(const SampledCounter& counter) override { counters_.push_back(counter.name); }
  void sample(const TimelineSample& sample) override;
  void pause(const TimelinePause& pause) override;

 private:
  struct Path {
    std::uint32_t parent = 0;
    std::string_view function, file;
  };
  std::string stack_of(std::uint32_t path) const;
  std::int64_t since(std::uint64_t time) const { return static_cast<std::int64_t>(time - origin_); }

  FileSet& files_;
  std::uint64_t origin_;
  std::vector<Path> paths_{Path{}};
  std::vector<std::string_view> counters_;
};

}  // namespace tracer::columns
