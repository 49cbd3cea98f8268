// SPDX-License-Identifier: BSD-3-Clause
// Reports now and then how much of a trace has been read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "tracer/replay/replay.hpp"

namespace tracer::report {

/// To be added to the replay that reads the trace. `progress` gets the share that is done, 0 to 1: 0 of an archive that
/// does not say how many events it has. It may throw to end the reading, and may be empty.
class ReadingProgress final : public Observer {
 public:
  ReadingProgress(std::uint64_t events, std::function<void(double)> progress)
      : total_{events}, progress_{std::move(progress)} {}
  void events_so_far(std::uint64_t events) override {
    if (progress_)
      progress_(total_ == 0 ? 0 : std::min(1.0, static_cast<double>(events) / static_cast<double>(total_)));
  }

 private:
  std::uint64_t total_;
  std::function<void(double)> progress_;
};

}  // namespace tracer::report
