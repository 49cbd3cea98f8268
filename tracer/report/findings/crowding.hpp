// SPDX-License-Identifier: BSD-3-Clause
// Threads that are bound to the same processors while others have none to run: each rank of a job binds its first
// thread to the first of its places, and where OMP_PLACES names processors, or the launcher gives all ranks the same,
// that is one processor for all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tracer/report/report.hpp"

namespace tracer::report {

struct Crowding {
  std::string host;
  std::string processors;                  ///< as "0-7"
  std::uint64_t count = 0;                 ///< of them
  std::uint64_t online = 0, spare = 0;     ///< processors of the host, and how many no thread of the trace needs
  std::vector<std::string> threads;        ///< names of those that share them, with their processes'
  std::uint64_t processes = 0;             ///< to which they belong
  std::uint64_t processor = 0, delay = 0;  ///< ns that they ran, and that they could have run
  std::uint64_t descheduled = 0;           ///< ns of theirs in the account, without a processor
  std::uint64_t hosts = 0;                 ///< on which threads share too few, this one included
};

/// The host on which threads that share too few processors wait longest for one, though it has enough for all. Threads
/// that hardly want to run do not count.
std::optional<Crowding> crowding_of(const Report& report, const Definitions& definitions);

}  // namespace tracer::report
