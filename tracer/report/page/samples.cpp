// SPDX-License-Identifier: BSD-3-Clause
// See samples.hpp.
#include "tracer/report/page/samples.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "tracer/leb128.hpp"

namespace tracer::report {
namespace {
using Json = nlohmann::json;
}  // namespace

PageSamples::PageSamples(const SampleJoin& join, const SamplePaths& paths, std::uint64_t origin,
                         const PageSampleLimits& limits)
    : join_{join}, paths_{paths}, counters_{join.set()}, origin_{origin}, inside_(paths.nodes().size()) {
  std::uint64_t last = 0;
  for (std::size_t s = 0; s < join.set().samples.size(); ++s) {
    if (paths.kind(s) == SampleJoin::outside) continue;
    ++inside_[paths.kinds()[paths.kind(s)].node];
    last = std::max(last, join.set().samples[s].time - std::min(origin, join.set().samples[s].time));
  }
  for (std::size_t n = inside_.size(); n-- > 1;) inside_[paths.nodes()[n].parent] += inside_[n];
  // Coarser in time first; where one cell for the whole run is too fine, fewer paths; then no regions.
  const std::size_t most_cells = limits.cells / (1 + counters_.size());
  bool fits = false;
  for (std::size_t most = limits.paths; !fits && most >= 1; most /= 4) {
    choose_paths(most);
    number_kinds(most >= 4);
    for (unit_ = 1000; !(fits = fill(unit_, most_cells) <= most_cells) && unit_ <= last;) unit_ *= 2;
  }
  if (!fits) fill(unit_, std::numeric_limits<std::size_t>::max() - 1);
  encode();
}

/// Keeps the most frequent ones: parents have at least as many samples as their children.
void PageSamples::choose_paths(std::size_t most) {
  std::uint64_t least = 1;
  if (inside_.size() > most) {
    std::vector<std::uint64_t> sorted{inside_.begin(), inside_.end()};
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(most), sorted.end(),
                     std::greater<>{});
    least = sorted[most] + 1;
  }
  const auto rare_frame = static_cast<std::uint32_t>(paths_.frames().size());
  std::vector<std::uint32_t> rare(1);  // by node of the page: its child of rare paths, 0 none
  nodes_.assign(1, {});
  page_node_.assign(inside_.size(), 0);
  std::vector<bool> is_rare(inside_.size());
  const auto add = [&](std::uint32_t parent, std::uint32_t frame) {
    nodes_.push_back({parent, frame});
    rare.push_back(0);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  };
  for (std::size_t n = 1; n < inside_.size(); ++n) {
    const PathNode& node = paths_.nodes()[n];
    const std::uint32_t parent = page_node_[node.parent];
    is_rare[n] = inside_[n] < least;
    if (!is_rare[n]) {
      page_node_[n] = add(parent, node.frame);
    } else if (is_rare[node.parent]) {
      page_node_[n] = parent;
    } else {
      if (rare[parent] == 0) {
        const std::uint32_t made = add(parent, rare_frame);
        rare[parent] = made;
      }
      page_node_[n] = rare[parent];
    }
  }
}

void PageSamples::number_kinds(bool with_regions) {
  std::map<Kind, std::uint32_t> numbers;
  kinds_.clear();
  page_kind_.clear();
  for (const SampleKind& kind : paths_.kinds()) {
    const Kind page{page_node_[kind.node], kind.activity, with_regions ? kind.region : undefined_ref};
    const auto [at, is_new] = numbers.try_emplace(page, static_cast<std::uint32_t>(kinds_.size()));
    if (is_new) kinds_.push_back(page);
    page_kind_.push_back(at->second);
  }
}

std::uint64_t PageSamples::counted(std::size_t sample, std::size_t at) const {
  const std::uint64_t value = counters_.increases(sample)[at];
  return value == samples::not_counted ? 0 : value;
}

/// Returns the number of cells; stops beyond `most`.
std::size_t PageSamples::fill(std::uint64_t unit, std::size_t most) {
  std::size_t total = 0;
  cells_.assign(join_.definitions().locations.size(), {});
  counted_.assign(cells_.size(), {});
  for (LocationRef l = 0; l < cells_.size(); ++l) {
    std::vector<Cell>& cells = cells_[l];
    std::vector<std::pair<std::uint32_t, std::size_t>> here;  // kind and sample, of the bin at hand
    std::uint64_t bin = 0;
    const auto flush = [&] {
      std::sort(here.begin(), here.end());
      for (std::size_t i = 0, next = 0; i < here.size(); i = next) {
        while (next < here.size() && here[next].first == here[i].first) ++next;
        cells.push_back({bin, here[i].first, static_cast<std::uint32_t>(next - i)});
        for (std::size_t c = 0; c < counters_.size(); ++c) {
          std::uint64_t sum = 0;
          for (std::size_t k = i; k < next; ++k) sum += counted(here[k].second, c);
          counted_[l].push_back(sum);
        }
      }
      here.clear();
    };
    const auto [first, end] = join_.samples_of(l);
    for (std::size_t s = first; s != end; ++s) {
      if (paths_.kind(s) == SampleJoin::outside) continue;
      const std::uint64_t time = join_.set().samples[s].time;
      const std::uint64_t next = (time - std::min(origin_, time)) / unit;
      if (next != bin) flush();
      bin = next;
      here.emplace_back(page_kind_[paths_.kind(s)], s);
      if (total + cells.size() > most) return most + 1;
    }
    flush();
    total += cells.size();
  }
  return total;
}

void PageSamples::encode() {
  for (LocationRef l = 0; l < cells_.size(); ++l) {
    std::uint64_t last = 0;
    auto counted = counted_[l].begin();
    for (const Cell& cell : cells_[l]) {
      put_leb128(bytes_, cell.bin - last);
      put_leb128(bytes_, cell.kind);
      put_leb128(bytes_, cell.count);
      for (std::size_t c = 0; c < counters_.size(); ++c) put_leb128(bytes_, *counted++);
      last = cell.bin;
    }
  }
}

Json PageSamples::json() const {
  Json frames = Json::array(), nodes = Json::array(), kinds = Json::array(), cells = Json::array();
  Json counters = Json::array();
  for (const samples::Counter& counter : join_.set().counters)
    counters.push_back({join_.set().strings[counter.name], counter.nanoseconds != 0});
  std::map<std::uint32_t, std::uint32_t> numbers;  // of frames on the page
  for (const PathNode& node : nodes_) {
    const auto [at, is_new] = numbers.try_emplace(node.frame, static_cast<std::uint32_t>(frames.size()));
    if (is_new && node.frame < paths_.frames().size()) {
      const PathFrame& frame = paths_.frames()[node.frame];
      frames.push_back({frame.name, frame.file, frame.construct == undefined_ref ? -1 : std::int64_t{frame.construct}});
    } else if (is_new) {
      frames.push_back({"(rare paths)", "", -1});
    }
    nodes.push_back(node.parent);
    nodes.push_back(at->second);
  }
  for (const Kind& kind : kinds_)
    kinds.push_back({kind.node, static_cast<unsigned>(kind.activity),
                     kind.region == undefined_ref ? -1 : std::int64_t{kind.region}});
  for (LocationRef l = 0; l < cells_.size(); ++l)
    if (!cells_[l].empty()) cells.push_back({l, cells_[l].size()});
  return {{"period", join_.set().period},   {"unit", unit_},
          {"frames", std::move(frames)},    {"nodes", std::move(nodes)},
          {"kinds", std::move(kinds)},      {"cells", std::move(cells)},
          {"counters", std::move(counters)}};
}

}  // namespace tracer::report
