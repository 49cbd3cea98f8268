// SPDX-License-Identifier: BSD-3-Clause
// Indexes of archives, as commands make and use them.
#pragma once

#include <filesystem>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/cli/options/arguments.hpp"
#include "tracer/convert/convert.hpp"
#include "tracer/index/store.hpp"

namespace tracer::cli {

/// The archive's index, which is made where there is none, by TRACER_THREADS threads, with a progress bar on a
/// terminal; prints what it has written.
index::Stored index_of(otf2::PositionedSource& source);

/// `--index` of commands that make archives: they make the index as well.
class IndexOption {
 public:
  void add_to(Arguments& app);
  /// Where the index is wanted, its pass over the events is the one that reads the archive back.
  void prepare(ConvertOptions& conversion);
  /// As many as the conversion uses: 0 as many as are of use.
  void use_threads(unsigned threads) { threads_ = threads; }
  /// After the conversion, or for an archive that there was: makes the index where prepare() has not, and prints the
  /// messages. `archive`: its anchor file.
  void finish(const std::filesystem::path& archive, bool is_quiet);

 private:
  void make(const std::filesystem::path& archive);

  bool is_wanted_ = false;
  unsigned threads_ = 0;
  std::filesystem::path of_;  ///< the archive whose index was made last
  index::Stored made_;
};

}  // namespace tracer::cli
