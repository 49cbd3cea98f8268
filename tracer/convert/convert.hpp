// SPDX-License-Identifier: BSD-3-Clause
// From a raw trace on disk to an OTF2 archive on disk: reader, correlation, translation and sink put
// together. The same function serves the traced process, `tracer run`, `convert` and `recover`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tracer/error.hpp"

namespace tracer {

/// The process has not what the conversion would take; the raw trace is untouched. The text is part of a sentence.
class PutOff : public Error {
 public:
  using Error::Error;
};

struct ConvertOptions {
  bool within_limits = false;  ///< throw PutOff rather than be killed for memory or processor time
  unsigned at_once = 1;        ///< so many conversions of the process share the limits
  unsigned threads = 0;        ///< 0: as many as this process may use, at most 8
  bool keep_raw = false;       ///< else the raw trace is removed when the archive is complete and nothing was damaged
  bool symbols = true;         ///< look source positions up
  bool level_3_1 = false;      ///< OTF2 3.1's enumeration values, when the library has them
  std::function<void(double)> progress;      ///< 0 to 1; may be empty
  std::function<void()> waiting;             ///< another process makes the same archive; may be empty
  std::map<std::string, std::string> facts;  ///< of the process, beside and before the journal's (process_life.hpp)
  /// Reads all of the archive in a directory, before the raw trace is removed; throws tracer::Error where that cannot
  /// be read. Empty: verify_archive().
  std::function<void(const std::filesystem::path&)> read_back;
};

struct ConvertResult {
  std::filesystem::path archive;  ///< <directory>/traces.otf2
  std::uint64_t samples = 0;      ///< in samples.bin beside the archive
  std::uint64_t events = 0;
  std::uint64_t lost = 0;
  std::size_t threads = 0;
  std::size_t streams = 0;
  std::uint64_t bytes = 0;  ///< of the archive on disk
  double seconds = 0;       ///< of the conversion
  /// What recording cost, in seconds: the start of the tool, emptying the rings (beside the program),
  /// threads of the program waiting for that.
  double start_seconds = 0, drain_seconds = 0, wait_seconds = 0;
  bool ended = true;  ///< the run, by itself; else this is what was recorded until then
  bool raw_kept = false;
  bool was_complete = false;  ///< there was an archive; nothing was converted
  std::map<std::string, std::uint64_t> repairs;
  std::vector<std::string> damage;  ///< one line each, of what could not be read
  std::string invalid_filter;       ///< a line, where the run's filter is invalid: nothing is left out; "" it is valid
};

/// `raw`: the raw trace's directory, or the one that holds it. `directory`: where the archive goes;
/// usually the one around the raw trace. One process at a time converts a trace in its place: a second one waits.
/// Throws tracer::Error, also PutOff; the raw trace is then untouched.
ConvertResult convert(const std::filesystem::path& raw, const std::filesystem::path& directory,
                      const ConvertOptions& options = {});

}  // namespace tracer
