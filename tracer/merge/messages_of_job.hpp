// SPDX-License-Identifier: BSD-3-Clause
// The messages between the clocks of a job, read from the events of its parts: only in a job that has several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "formats/otf2/common/mpi_communicators.hpp"

namespace tracer {

struct PartWithMessages {
  std::filesystem::path directory;
  otf2::SharedPartOfMpi mpi = std::make_shared<const otf2::PartOfMpi>();  ///< empty: it cannot be placed
  std::uint32_t clock = 0;  ///< parts of one clock: messages between them are left out
};

/// Both ends as their parts have them.
struct MessageOfJob {
  std::uint32_t from = 0, to = 0;  ///< parts
  std::uint64_t sent = 0, received = 0;
};

/// Of one communicator, sender, receiver and tag the k-th send is never later than the k-th receive, in whatever order
/// they belong together; where there are fewer sends than receives none is taken. Not those of intercommunicators; of
/// a job with more than `most` the first ones of each part. A part that is damaged has none from there on. Parts are
/// read by up to `threads`, with the same result whatever their number. Throws for want of memory.
std::vector<MessageOfJob> messages_of(const std::vector<PartWithMessages>& parts, unsigned threads,
                                      std::size_t most = 1 << 24);

}  // namespace tracer
