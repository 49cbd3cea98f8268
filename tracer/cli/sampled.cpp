// SPDX-License-Identifier: BSD-3-Clause
// See sampled.hpp.
#include "tracer/cli/sampled.hpp"

#include "formats/otf2/sampled_archive.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/terminal.hpp"

namespace tracer::cli {
namespace {

/// What an error leaves is no archive, and would be in the way of the next.
otf2::SampledArchiveResult write(const std::filesystem::path& archive, const samples::SampleSet& samples,
                                 const std::filesystem::path& directory) {
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(directory, ignored);
  Progress progress{"exporting"};
  try {
    return otf2::write_sampled(otf2::Trace::open(archive), samples, directory,
                               [&](double share) { progress.update(share); });
  } catch (...) {
    if (is_new) std::filesystem::remove_all(directory, ignored);
    throw;
  }
}

}  // namespace

std::string write_sampled_with_progress(const std::filesystem::path& archive, const samples::SampleSet& samples,
                                        const std::filesystem::path& directory) {
  const otf2::SampledArchiveResult result = write(archive, samples, directory);
  std::string text = "wrote " + (directory / "traces.otf2").string() + ": " + format_count(result.samples) +
                     " samples in " + format_count(result.contexts) + " calling contexts";
  if (result.outside != 0) text += "; " + format_count(result.outside) + " lie outside of the trace";
  return text;
}

}  // namespace tracer::cli
