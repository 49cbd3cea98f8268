// SPDX-License-Identifier: BSD-3-Clause
// See sampled_stacks.hpp.
#include "formats/otf2/join/sampled_stacks.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace {

constexpr std::uint8_t role_function = 1, paradigm_sampling = 21;

}  // namespace

SampledStacks::SampledStacks(const samples::SampleSet& set, JoinedDefinitions& definitions, ContextTree& tree)
    : set_(set),
      definitions_(definitions),
      tree_(tree),
      first_function_(static_cast<std::uint32_t>(definitions.regions.size())),
      room_(samples::most_path_nodes(set)),
      strings_(set.strings.size(), undefined_ref) {
  for (const auto& stack : set.stacks) {
    std::vector<std::uint32_t> before, after;
    bool has_gap = false;
    for (const std::uint32_t frame : stack) {
      if (set.frames[frame].origin == samples::Origin::user) {
        (has_gap ? after : before).push_back(frame);
      } else if (!before.empty() || has_gap) {  // what only starts the thread is no gap
        has_gap = true;
        after.clear();
      }
    }
    const std::size_t first = before.size();
    before.insert(before.end(), after.begin(), after.end());
    frames_.push_back(std::move(before));
    const std::span<const std::uint32_t> all(frames_.back());
    parts_.push_back({all.first(first), all.subspan(first), all, has_gap});
  }
}

std::uint32_t SampledStacks::string(std::uint32_t of_set) {
  std::uint32_t& known = strings_[of_set];
  if (known == undefined_ref) known = definitions_.string(set_.strings[of_set]);
  return known;
}

std::uint32_t SampledStacks::region_of(const samples::Frame& frame) {
  const auto [found, is_new] =
      regions_.try_emplace({frame.function, frame.file}, static_cast<std::uint32_t>(definitions_.regions.size()));
  if (is_new) {
    RegionDef region;
    region.ref = found->second;
    region.name = region.canonical =
        set_.strings[frame.function].empty() ? definitions_.string("(unknown)") : string(frame.function);
    region.description = string(0);
    region.source_file = string(frame.file);
    region.role = role_function;
    region.paradigm = paradigm_sampling;
    definitions_.regions.push_back(region);
  }
  return found->second;
}

std::uint32_t SampledStacks::place_of(const samples::Frame& frame) {
  if (frame.line == 0 || frame.file == 0) return undefined_ref;
  const auto next = static_cast<std::uint32_t>(definitions_.source_code_locations.size());
  const auto [found, is_new] = places_.try_emplace({frame.file, frame.line}, next);
  if (is_new) definitions_.source_code_locations.push_back({next, string(frame.file), frame.line});
  return found->second;
}

std::uint32_t SampledStacks::function_around(std::uint32_t context) const {
  while (context != ContextTree::root && !is_function(tree_.region(context))) context = tree_.parent(context);
  return context == ContextTree::root ? undefined_ref : definitions_.regions[tree_.region(context)].name;
}

std::uint32_t SampledStacks::below(std::uint32_t context, std::span<const std::uint32_t> frames) {
  const bool repeats = context != ContextTree::root && !is_function(tree_.region(context)) && !frames.empty() &&
                       string(set_.frames[frames.front()].function) == function_around(context);
  for (std::size_t i = repeats ? 1 : 0; i < frames.size(); ++i) {
    const std::uint32_t source = i == 0 ? undefined_ref : place_of(set_.frames[frames[i - 1]]);
    const std::size_t known = tree_.nodes().size();
    context = tree_.child(context, region_of(set_.frames[frames[i]]), source);
    if (!room_.take(tree_.nodes().size() - known)) throw Error(std::string{samples::too_many_paths});
  }
  return context;
}

}  // namespace tracer::otf2
