// SPDX-License-Identifier: BSD-3-Clause
// See call_paths.hpp.
#include "tracer/replay/samples/call_paths.hpp"

#include <algorithm>

#include "tracer/error.hpp"

namespace tracer::report {

SamplePaths::SamplePaths(const SampleJoin& join, bool raw)
    : join_{join},
      set_{join.set()},
      classes_{classify(join.definitions())},
      nodes_(1),
      room_{samples::most_path_nodes(set_)} {
  count_prefixes();
  functions_.assign(set_.frames.size(), SampleJoin::outside);
  kind_of_.assign(set_.samples.size(), SampleJoin::outside);
  std::unordered_map<std::uint64_t, std::uint32_t> known;  // by place and stack
  std::map<SampleKind, std::uint32_t> numbers;
  for (std::size_t s = 0; s < set_.samples.size(); ++s) {
    const std::uint32_t place_number = join.place(s), stack = set_.samples[s].stack;
    if (place_number == SampleJoin::outside) continue;
    const auto [at, is_new] = known.try_emplace(std::uint64_t{place_number} << 32 | stack);
    if (is_new) {
      const SamplePlace& place = join.places()[place_number];
      const bool in_kernel = !raw && is_in_kernel(stack);
      std::uint32_t node = raw ? raw_node_of(stack) : node_of(stack, place);
      if (in_kernel) node = child(node, function(set_.stacks[stack].back()));
      const SampleKind kind{node,           place.activity,
                            place.region,   place.constructs.empty() ? undefined_ref : place.constructs.back(),
                            leaf_of(stack), in_kernel};
      const auto [number, is_new_kind] = numbers.try_emplace(kind, static_cast<std::uint32_t>(kinds_.size()));
      if (is_new_kind) kinds_.push_back(kind);
      at->second = number->second;
    }
    kind_of_[s] = at->second;
  }
}

void SamplePaths::count_prefixes() {
  for (std::size_t s = 0; s < set_.samples.size(); ++s) {
    if (join_.place(s) == SampleJoin::outside) continue;
    const SamplePlace& place = join_.places()[join_.place(s)];
    if (place.is_master && !place.constructs.empty()) ++prefixes_[place.constructs.front()][set_.samples[s].stack];
  }
}

SamplePaths::Parts SamplePaths::parts_of(std::uint32_t stack) const {
  Parts parts;
  bool begun = false;  // frames that only start the thread are no gap
  for (const std::uint32_t frame : set_.stacks[stack]) {
    if (set_.frames[frame].origin == samples::Origin::kernel) continue;
    if (set_.frames[frame].origin == samples::Origin::user) {
      begun = true;
      (parts.has_gap ? parts.after : parts.before).push_back(frame);
    } else if (begun) {
      parts.has_gap = true;
      parts.after.clear();
    }
  }
  return parts;
}

const std::vector<std::uint32_t>& SamplePaths::before_region(RegionRef region) {
  const auto [before, is_new] = before_.try_emplace(region);
  std::uint64_t most = 0;
  if (is_new) {
    for (const auto& [stack, count] : prefixes_[region]) {
      Parts parts = parts_of(stack);
      if (!parts.has_gap || count <= most) continue;
      most = count;
      before->second = std::move(parts.before);
    }
  }
  return before->second;
}

std::uint32_t SamplePaths::node_of(std::uint32_t stack, const SamplePlace& place) {
  const Parts own = parts_of(stack);
  std::uint32_t node = 0;
  if (place.constructs.empty()) {
    for (const auto* part : {&own.before, &own.after})
      for (const std::uint32_t frame : *part) node = child(node, function(frame));
  } else {
    for (const std::uint32_t frame :
         place.is_master&& own.has_gap ? own.before : before_region(place.constructs.front()))
      node = child(node, function(frame));
    const std::string around = node == 0 ? "" : frames_[nodes_[node].frame].name;
    for (const RegionRef region : place.constructs) node = child(node, construct(region));
    // A worker's stack has nothing of the user's before the runtime's frames, and where the runtime keeps no frame
    // pointers the kernel's walk ends there: all of it is the construct's.
    const std::vector<std::uint32_t>& rest = own.has_gap ? own.after : own.before;
    // The function that the compiler made of the construct has the name of the one around it.
    const bool repeats = !rest.empty() && set_.strings[set_.frames[rest.front()].function] == around;
    for (std::size_t i = repeats ? 1 : 0; i < rest.size(); ++i) node = child(node, function(rest[i]));
  }
  if (node != 0) return node;
  if (place.region != undefined_ref) return child(0, construct(place.region));  // all of it is the runtime's
  return child(0, intern({"(unknown)", "", undefined_ref}));
}

std::uint32_t SamplePaths::raw_node_of(std::uint32_t stack) {
  std::uint32_t node = 0;
  for (const std::uint32_t frame : set_.stacks[stack]) node = child(node, function(frame));
  return node != 0 ? node : child(0, intern({"(unknown)", "", undefined_ref}));
}

std::uint32_t SamplePaths::child(std::uint32_t parent, std::uint32_t frame) {
  const auto [at, is_new] =
      node_numbers_.try_emplace(std::uint64_t{parent} << 32 | frame, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) {
    if (!room_.take(1)) throw Error(std::string{samples::too_many_paths});
    nodes_.push_back({parent, frame});
  }
  return at->second;
}

std::uint32_t SamplePaths::function(std::uint32_t frame) {
  if (functions_[frame] == SampleJoin::outside) {
    const samples::Frame& known = set_.frames[frame];
    functions_[frame] = intern({set_.strings[known.function], set_.strings[known.file], undefined_ref});
  }
  return functions_[frame];
}

std::uint32_t SamplePaths::construct(RegionRef region) {
  const RegionClass& known = classes_[region];
  return intern({known.label + (known.location.empty() ? "" : " @" + known.location), "", region});
}

std::uint32_t SamplePaths::intern(PathFrame frame) {
  const auto [at, is_new] =
      frame_numbers_.try_emplace({frame.name, frame.file, frame.construct}, static_cast<std::uint32_t>(frames_.size()));
  if (is_new) frames_.push_back(std::move(frame));
  return at->second;
}

std::uint32_t SamplePaths::leaf_of(std::uint32_t stack) const {
  const auto& frames = set_.stacks[stack];
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
    if (set_.frames[*frame].origin == samples::Origin::user) return *frame;
  return SampleJoin::outside;
}

bool SamplePaths::is_in_kernel(std::uint32_t stack) const {
  const auto& frames = set_.stacks[stack];
  return !frames.empty() && set_.frames[frames.back()].origin == samples::Origin::kernel;
}

std::vector<std::uint32_t> SamplePaths::path(std::uint32_t node) const {
  std::vector<std::uint32_t> frames;
  for (; node != 0; node = nodes_[node].parent) frames.push_back(nodes_[node].frame);
  std::reverse(frames.begin(), frames.end());
  return frames;
}

}  // namespace tracer::report
