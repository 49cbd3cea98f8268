// SPDX-License-Identifier: BSD-3-Clause
// Fills the page (page/) with reports and encoded timelines.
#include "tracer/report/page/html.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

#include "tracer/report/page/base64.hpp"
#include "tracer/report/page/page_data.hpp"
#include "tracer/report/page/side.hpp"

namespace tracer::report {
namespace {

using Json = nlohmann::json;

/// What is written into the page.
struct PageContents {
  std::deque<PageSide> sides;
  std::string meta;                      ///< as it stands in the page
  std::size_t arrow_bytes = 0;           ///< of `meta`
  std::uint64_t slices = 0, arrows = 0;  ///< kept one by one, of the side with most

  std::size_t slice_bytes() const {
    std::size_t bytes = 0;
    for (const PageSide& side : sides)
      for (const auto& [key, row] : side.slices().rows()) bytes += row.bytes.size();
    return bytes / 3 * 4;
  }
  std::size_t bytes() const {
    std::size_t bytes = page_html.size() + page_css.size() + page_js.size() + meta.size() + slice_bytes();
    for (const PageSide& side : sides) bytes += side.samples().size() / 3 * 4;
    return bytes;
  }
};

void fill_page(const PageContents& page, std::ostream& out) {
  const std::deque<PageSide>& sides = page.sides;
  const auto put = [&](std::string_view text) { out << text; };
  fill_places(page_html, put, [&](std::string_view place) {
    if (place == "STYLE") out << page_css;
    if (place == "META") out << page.meta;
    if (place == "SLICES") {
      Base64 encoded{out};
      for (const PageSide& side : sides)
        for (const auto& [key, row] : side.slices().rows()) encoded.add(row.bytes);
      encoded.finish();
    }
    if (place == "SAMPLES") {
      Base64 encoded{out};
      for (const PageSide& side : sides) encoded.add(side.samples());
      encoded.finish();
    }
    if (place == "SCRIPT") out << page_js;
  });
}

PageContents collect(std::initializer_list<const PageTrace*> traces, const Json& diff, const HtmlOptions& options,
                     const std::function<void(double)>& progress) {
  PageContents page;
  std::deque<PageSide>& sides = page.sides;
  std::size_t locations = 0, names = 0, done = 0;
  std::uint64_t length = 0;
  const std::function<void(double)> part = [&](double share) {
    if (progress) progress((static_cast<double>(done) + share) / static_cast<double>(traces.size()));
  };
  for (const PageTrace* trace : traces) {
    sides.emplace_back(*trace, options, locations, names, part);
    locations += sides.back().locations();
    names += sides.back().names();
    length = std::max(length, trace->report->wall);
    ++done;
  }
  Json meta;
  meta["length"] = length;
  meta["shortest"] = options.shortest;
  meta["diff"] = diff;
  for (const char* list :
       {"sides", "locations", "names", "labels", "sources", "activities", "rows", "arrows", "copies", "counters"})
    meta[list] = Json::array();
  for (const PageSide& side : sides) {
    side.add_to(meta);
    page.slices = std::max(page.slices, side.slices().shown());
    page.arrows = std::max<std::uint64_t>(page.arrows, side.slices().arrows().size());
  }
  page.arrow_bytes = meta["arrows"].dump().size();
  page.meta = for_script(meta.dump(-1, ' ', false, Json::error_handler_t::replace));
  return page;
}

/// Whether it is small enough without all that could be left out.
bool can_fit(const PageContents& page, std::uint64_t most_bytes) {
  return page.bytes() - page.slice_bytes() - page.arrow_bytes <= most_bytes;
}

/// As much less than `options` as the page is too large.
HtmlOptions less(const HtmlOptions& options, const PageContents& page) {
  const auto most = static_cast<double>(options.most_bytes), bytes = static_cast<double>(page.bytes()),
             flexible = static_cast<double>(page.slice_bytes() + page.arrow_bytes);
  const double share = std::clamp(0.9 * (most - (bytes - flexible)) / std::max(flexible, 1.0), 0.05, 0.9);
  const auto part = [share](std::uint64_t number) {
    return static_cast<std::uint64_t>(share * static_cast<double>(number));
  };
  HtmlOptions fits = options;
  constexpr std::uint64_t least_slices = 10'000;
  fits.slices = std::max(least_slices, part(std::min(options.slices, page.slices)));
  fits.arrows = part(std::min(options.arrows, page.arrows));
  return fits;
}

void write_page(std::initializer_list<const PageTrace*> traces, const Json& diff, const HtmlOptions& options,
                std::ostream& out, const std::function<void(double)>& progress) {
  constexpr int most_tries = 4;
  HtmlOptions fits = options;
  PageContents page = collect(traces, diff, fits, progress);
  const auto is_too_large = [&] { return options.most_bytes != 0 && page.bytes() > options.most_bytes; };
  for (int i = 1; i < most_tries && is_too_large() && can_fit(page, options.most_bytes); ++i) {
    fits = less(fits, page);
    page = {};  // before the next is there: memory for one
    page = collect(traces, diff, fits, progress);
  }
  fill_page(page, out);
}

}  // namespace

void write_html(const PageTrace& trace, const HtmlOptions& options, std::ostream& out,
                const std::function<void(double)>& progress) {
  write_page({&trace}, nullptr, options, out, progress);
}

void write_html(const PageTrace& before, const PageTrace& after, const Diff& diff,
                const std::vector<std::string>& passed, const HtmlOptions& options, std::ostream& out,
                const std::function<void(double)>& progress) {
  write_page({&before, &after}, Json::parse(diff_json(diff, passed)), options, out, progress);
}

}  // namespace tracer::report
