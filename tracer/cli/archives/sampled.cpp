// SPDX-License-Identifier: BSD-3-Clause
// See sampled.hpp.
#include "tracer/cli/archives/sampled.hpp"

#include "formats/otf2/join/sampled_archive.hpp"
#include "tracer/base/files/pending_output.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/output/terminal.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;

std::string write_sampled_with_progress(const fs::path& archive, const samples::SampleSet& samples,
                                        const fs::path& directory) {
  require_new_directory(directory);
  PendingOutput pending{directory};
  otf2::SampledArchiveResult result;
  {
    Progress progress{"exporting"};
    result = otf2::write_sampled(otf2::Trace::open(archive), samples, pending.path(),
                                 [&](double share) { progress.update(share); });
  }
  pending.keep();
  std::string text = "wrote " + (directory / "traces.otf2").string() + ": " + format_counted(result.samples, "sample") +
                     " in " + format_counted(result.contexts, "calling context");
  if (result.outside != 0) text += "; " + format_count(result.outside) + " lie outside of the trace";
  return text;
}

}  // namespace tracer::cli
