// SPDX-License-Identifier: BSD-3-Clause
// The facts of a part of a job - its process, its rank, how it ended - and what all parts together show of the
// job.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "formats/otf2/join/join.hpp"
#include "tracer/merge/clocks_of_job.hpp"

namespace tracer {

/// A part's summary and where it is.
struct PartOfJob {
  std::filesystem::path directory;
  otf2::PartSummary summary;  ///< its properties without those of communicators and windows, which `mpi` has
  otf2::SharedPartOfMpi mpi = std::make_shared<const otf2::PartOfMpi>();
  long rank = -1;                       ///< to MPI, or to the launcher; -1 none
  bool is_another_to_launcher = false;  ///< the launcher numbered it, but MPI takes it for started alone
  std::string launcher, host, process_id, parent_id, program, ending, mpi_abort;  ///< "": not recorded
  std::string not_recorded;  ///< what of the program no callback reports; "" nothing
  ClockOfPart clock;
};

/// Of the archive in `directory`. Throws tracer::Error when it cannot be read. `own_too`: as of otf2::read_part().
PartOfJob read_part_of_job(const std::filesystem::path& directory, bool own_too = false);

/// Ranks in their order, those of each launch together, launches as they began; then the others as they began.
void sort_parts(std::vector<PartOfJob>& parts);

/// "" where the part's own name has it.
std::string name_of_process(const PartOfJob& part);

/// For each the process that started it: of the same kernel, and with that number when the other began. An index into
/// `parts`; undefined_ref: none of them.
std::vector<std::uint32_t> parents_of(const std::vector<PartOfJob>& parts);

/// A fact of the process that stands in its anchor, and belongs to the process where there are several.
bool is_of_process(const std::string& property);

/// Properties of the whole: values that all share; sums; only true where all are true; what is missing of any:
/// filter, part, provenance and what was not recorded. Without those of its clocks.
std::vector<Property> properties_of_job(const std::vector<PartOfJob>& parts);

}  // namespace tracer
