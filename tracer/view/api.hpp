// SPDX-License-Identifier: BSD-3-Clause
// What the viewer's page asks of traces (docs/cli/view.md, "Routes"). Times are nanoseconds since a trace's first
// event.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracer/index/trace_index.hpp"
#include "tracer/view/request.hpp"

namespace tracer::view {

/// A trace and its place on the page. Lanes and names are numbered through all traces.
struct ViewedTrace {
  index::TraceIndex* index = nullptr;
  std::string title, path;
  std::uint32_t first_lane = 0, first_name = 0;
};

/// One thread at a time.
class Api {
 public:
  static constexpr std::size_t most_lanes = 1024, most_statistics_lanes = 1 << 20;
  static constexpr std::uint64_t most_width = 20'000, most_time = std::uint64_t{1} << 62;

  explicit Api(std::vector<ViewedTrace> traces) : traces_{std::move(traces)} {}
  /// As the page's script finds it in the page (tracer/report/page/web/trace.js).
  std::string meta() const;
  /// "" where there is nothing of that name. Throws BadRequest, and tracer::Error.
  std::string answer(const std::string& name, const Words& words);
  std::uint32_t lanes() const;
  std::uint64_t length() const;

 private:
  struct Lane {
    const ViewedTrace* trace = nullptr;
    LocationRef location = 0;
    std::uint64_t origin = 0;  ///< of the trace's times
  };
  Lane lane(std::uint32_t number) const;
  std::string window(const Words& words);
  std::string at(const Words& words);
  std::string statistics(const Words& words);
  std::string search(const Words& words);
  std::string events(const Words& words);

  std::vector<ViewedTrace> traces_;
};

}  // namespace tracer::view
