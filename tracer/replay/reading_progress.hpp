// SPDX-License-Identifier: BSD-3-Clause
// Reports now and then how much of a trace has been read.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "tracer/replay/replay.hpp"

namespace tracer::report {

/// To be added to the replay that reads the trace. `progress` gets the share that is done, 0 to 1; may be empty.
class ReadingProgress final : public Observer {
 public:
  ReadingProgress(std::uint64_t events, std::function<void(double)> progress)
      : total_{events}, progress_{std::move(progress)} {}
  void events_so_far(std::uint64_t events) override {
    if (progress_ && total_ != 0) progress_(static_cast<double>(events) / static_cast<double>(total_));
  }

 private:
  std::uint64_t total_;
  std::function<void(double)> progress_;
};

}  // namespace tracer::report
