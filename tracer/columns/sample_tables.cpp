// SPDX-License-Identifier: BSD-3-Clause
// See sample_tables.hpp.
#include "tracer/columns/sample_tables.hpp"

#include <algorithm>

namespace tracer::columns {
void SampleTables::sampled_path(const SampledPath& path) {
  paths_.resize(std::max<std::size_t>(paths_.size(), path.path + std::size_t{1}));
  paths_[path.path] = {path.parent, path.name, path.file};
}

/// As flame graph programs read it: "main;solve;kernel".
std::string SampleTables::stack_of(std::uint32_t path) const {
  std::vector<std::string_view> names;
  for (; path != 0; path = paths_[path].parent) names.push_back(paths_[path].function);
  std::string stack;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (!stack.empty()) stack += ';';
    const std::size_t begin = stack.size();
    stack += *name;
    std::replace(stack.begin() + static_cast<std::ptrdiff_t>(begin), stack.end(), ';', ':');
  }
  return stack;
}

void SampleTables::sample(const TimelineSample& sample) {
  parquet::File& file = files_.file(Table::samples, sample.location);
  const Path& path = paths_[sample.path];
  file.row(since(sample.time), sample.location, file.word(2, path.function), file.word(3, path.file), sample.line,
           file.word(5, stack_of(sample.path)), file.word(6, sample.activity), or_none(sample.region),
           or_none(sample.processor));
  for (std::size_t c = 0; c < std::min(sample.counted.size(), counters_.size()); ++c) {
    if (sample.counted[c] == TimelineSample::not_counted) continue;
    parquet::File& values = files_.file(Table::sampled_values, sample.location);
    values.row(since(sample.time), sample.location, values.word(2, counters_[c]), sample.counted[c]);
  }
}

void SampleTables::pause(const TimelinePause& pause) {
  files_.file(Table::pauses, pause.location)
      .row(since(pause.begin), since(pause.end), pause.location, pause.preempted ? 1 : 0);
}

}  // namespace tracer::columns
