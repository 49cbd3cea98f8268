// SPDX-License-Identifier: BSD-3-Clause
// The queries of the viewer's page to traces (docs/cli/view.md, "Routes"). Times are nanoseconds since a trace's first
// event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tracer/index/trace_index.hpp"
#include "tracer/view/activity.hpp"
#include "tracer/view/links_build.hpp"
#include "tracer/view/report_maker.hpp"
#include "tracer/view/request.hpp"
#include "tracer/view/sampled.hpp"

namespace tracer::view {

/// A trace and its place on the page. Lanes and names are numbered through all traces.
struct ViewedTrace {
  index::TraceIndex* index = nullptr;
  std::string title, path;
  std::uint32_t first_lane = 0, first_name = 0;
  std::size_t number = 0;            ///< of the traces
  const Sampled* samples = nullptr;  ///< null: it has none
  std::vector<std::string> notes;    ///< what it lacks (notes.hpp)
};

/// One thread at a time.
class Api {
 public:
  static constexpr std::size_t most_lanes = 1024, most_statistics_lanes = 1 << 20;
  static constexpr std::uint64_t most_width = 20'000, most_time = std::uint64_t{1} << 62;

  /// `links`: of the traces, by their number; null: none are made. `reports`: null: there is no such route.
  Api(std::vector<ViewedTrace> traces, const LinksMaker* links, ReportMaker* reports = nullptr)
      : traces_{std::move(traces)}, links_{links}, reports_{reports} {}
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
  std::string activity(const Words& words);
  // Of what is beside the regions (api_links.cpp).
  std::string extra() const;
  std::string links(const Words& words) const;
  std::string path(const Words& words) const;
  std::string counters(const Words& words) const;
  std::string samples(const Words& words) const;
  std::string functions(const Words& words) const;
  std::shared_ptr<const LinksFile> links_of(const ViewedTrace& trace) const {
    return links_ == nullptr ? nullptr : links_->links(trace.number);
  }
  std::string failure_of_links(const ViewedTrace& trace) const {
    return links_ == nullptr ? std::string{} : links_->failure(trace.number);
  }
  /// Whether a trace has all the links that it will have.
  bool is_linked(const ViewedTrace& trace) const {
    return links_of(trace) != nullptr || !failure_of_links(trace).empty();
  }
  /// Of the lanes that a query names, those of a trace; all where it names none.
  std::vector<bool> wanted(const ViewedTrace& trace, const Words& words) const;

  std::vector<ViewedTrace> traces_;
  const LinksMaker* links_;
  ReportMaker* reports_;
  std::vector<ProcessActivity> activity_;  ///< by trace, once it was asked for
};

}  // namespace tracer::view
