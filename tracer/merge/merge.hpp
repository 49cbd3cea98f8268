// SPDX-License-Identifier: BSD-3-Clause
// From the parts of a job to one archive of all its processes: what is still raw is converted, clocks are brought
// together, definitions joined. Events are not read, but for messages where clocks need them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tracer/convert/convert.hpp"
#include "tracer/error.hpp"

namespace tracer {

/// The job's own directory holds a trace that cannot be joined: the archive of the job would be made over it. The text
/// is part of a sentence.
class PlaceTaken : public Error {
 public:
  using Error::Error;
};

struct MergeOptions {
  ConvertOptions conversion;  ///< of what is still raw; its progress is that of all that are converted side by side
  /// Converts one raw trace in place, on any thread (convert/side_by_side.hpp); empty: without a word.
  std::function<ConvertResult(const std::filesystem::path&, const ConvertOptions&)> convert_one;
  unsigned part = 0, of = 0;  ///< merge only the part-th of so many shares, from 1; 0: all
  std::filesystem::path job;  ///< of merge_job(): the directory as users know it, which may have been opened elsewhere
};

struct MergeResult {
  std::filesystem::path archive;
  std::uint64_t processes = 0, locations = 0, events = 0, bytes = 0;
  std::size_t parts = 0, copied = 0;
  std::size_t ranks_missing = 0;      ///< of which no part has come
  std::vector<std::string> left_out;  ///< one line for each part that is not in it
  std::vector<std::string> deaths;    ///< one line for each process that did not end by itself
  std::string clocks;                 ///< how several were put together; "" there is one
  std::vector<std::string> notes;
  double seconds = 0;
  bool nothing_to_do = false;  ///< one archive, and it is where it should be
};

/// Makes one archive at `directory` of `traces`, which stay as they are. Throws tracer::Error when there is none to
/// make.
MergeResult merge(const std::vector<std::filesystem::path>& traces, const std::filesystem::path& directory,
                  const MergeOptions& options);

/// The same within a job's directory: the parts that are in the archive are removed when it is whole, and no rank is
/// missing in it. May be called again when more parts are there, and after it was killed. Throws PlaceTaken where the
/// trace in that directory itself is still being recorded, or cannot be read: everything is then as it was, but that
/// raw parts are converted.
MergeResult merge_job(const std::filesystem::path& at, const MergeOptions& options);

std::string summary_of(const MergeResult& result);

}  // namespace tracer
