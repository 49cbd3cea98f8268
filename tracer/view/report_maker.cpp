// SPDX-License-Identifier: BSD-3-Clause
// See report_maker.hpp.
#include "tracer/view/report_maker.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/index/store.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/page/base64.hpp"
#include "tracer/report/page/side.hpp"
#include "tracer/view/background.hpp"
#include "tracer/view/json_text.hpp"

namespace tracer::view {
namespace {

using Json = nlohmann::json;

/// The index and traces.links have it.
constexpr report::HtmlOptions without_timeline() {
  report::HtmlOptions options;
  options.has_timeline = false;
  return options;
}

}  // namespace

ReportMaker::~ReportMaker() {
  must_end_ = true;
  if (thread_.joinable()) thread_.join();
}

std::string ReportMaker::answer() {
  const std::lock_guard lock{mutex_};
  if (!thread_.joinable()) thread_ = in_background([this] { work(); });
  if (!answer_.empty()) return answer_;
  return text_of_json({{"ready", false}, {"share", share_.load()}, {"failure", failure_}});
}

void ReportMaker::work() {
  std::string made = R"({"ready":true,"share":1,"failure":"","sides":[)", why;
  try {
    for (std::size_t i = 0; i < wanted_.size(); ++i) made += (i == 0 ? "" : ",") + side(i);
    made += "]}";
  } catch (const Ended&) {
    return;
  } catch (const std::bad_alloc&) {
    why = "no report: there is not enough memory";
  } catch (const std::exception& error) {
    why = std::string{"no report: "} + error.what();
  }
  const std::lock_guard lock{mutex_};
  failure_ = why;
  if (why.empty()) answer_ = std::move(made);
}

/// The trace is read twice.
std::string ReportMaker::side(std::size_t number) {
  const Wanted& of = wanted_[number];
  const auto progress_of = [&](double pass) {
    return [this, number, pass](double share) {
      if (must_end_) throw Ended{};
      share_ = (static_cast<double>(number) + (pass + share) / 2) / static_cast<double>(wanted_.size());
    };
  };
  const auto source = otf2::open_archive(of.anchor);
  index::require_unchanged(*source, of.stamp);
  const std::optional<samples::SampleSet> set = of.samples();
  const samples::SampleSet* const samples = set ? &*set : nullptr;
  report::Report report = report::analyze(*source, progress_of(0), samples);
  report.archive = of.title;
  const report::PageTrace trace{source.get(), &report, of.title, samples};
  const report::PageSide page{trace, without_timeline(), of.first_lane, of.first_name, progress_of(1)};
  index::require_unchanged(*source, of.stamp);
  Json meta;
  page.add_to(meta);
  Json& side = meta["sides"][0];
  for (const char* of_the_timeline : {"path", "leftOut", "arrowsLeftOut", "shown", "dropped", "threshold"})
    side.erase(of_the_timeline);
  std::ostringstream cells;
  report::Base64 encoded{cells};
  encoded.add(page.samples());
  encoded.finish();
  side["cells"] = cells.str();
  return text_of_json(side);
}

}  // namespace tracer::view
