// SPDX-License-Identifier: BSD-3-Clause
// An archive of a job with teams and messages, large enough for several blocks and checkpoints, and its index.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "formats/otf2/read/event_source.hpp"
#include "formats/otf2/write/sink.hpp"
#include "tests/report/mpi_traces.hpp"
#include "tracer/convert/trace_index.hpp"

namespace tracer::test {

inline void write_job(const std::filesystem::path& directory) {
  const auto sink = make_otf2_sink(directory, {});
  MpiJob job = ring(2, 2, 700);
  job.finish().write(*sink);
}

/// The index's bytes, which are beside the archive then.
inline std::string index_of(const std::filesystem::path& directory) {
  const auto source = otf2::open_archive(directory / "traces.otf2");
  return std::string{open_index(*source, {}).contents->text()};
}

}  // namespace tracer::test
