// SPDX-License-Identifier: BSD-3-Clause
// The tree of calling contexts, as it is made: each node is a region called from a place by its parent.
//
// Trees of others may be a chain of millions: a node has a second link, further up, by which ancestors are found in
// logarithmic time (Myers, An applicative random-access stack, 1983).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "formats/otf2/common/trace_definitions.hpp"

namespace tracer::otf2 {

class ContextTree {
 public:
  /// The parent of those that nobody called: OTF2_UNDEFINED_CALLING_CONTEXT.
  static constexpr std::uint32_t root = undefined_ref;

  /// `region` called by `parent` from `source`, a source code location or undefined_ref. The same for the same.
  std::uint32_t child(std::uint32_t parent, std::uint32_t region, std::uint32_t source = undefined_ref) {
    const auto [found, is_new] =
        numbers_.try_emplace({parent, region, source}, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) add(parent, region, source);
    return found->second;
  }
  /// A new node, also where there is one like it.
  std::uint32_t add(std::uint32_t parent, std::uint32_t region, std::uint32_t source = undefined_ref) {
    nodes_.push_back({nodes_.size(), region, source, parent});
    const std::uint32_t far = jump(parent);
    const bool spans_match = depth(parent) - depth(far) == depth(far) - depth(jump(far));
    jumps_.push_back(spans_match ? jump(far) : parent);
    depths_.push_back(depth(parent) + 1);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  std::uint32_t parent(std::uint32_t node) const { return nodes_[node].parent; }
  std::uint32_t region(std::uint32_t node) const { return nodes_[node].region; }
  /// How many nodes there are from it up to the root: 0 of the root.
  std::uint32_t depth(std::uint32_t node) const { return node == root ? 0 : depths_[node]; }
  /// The one on the way from the root that is so deep; the node itself where it is no deeper.
  std::uint32_t ancestor(std::uint32_t node, std::uint32_t at_depth) const {
    while (depth(node) > at_depth) node = depth(jump(node)) >= at_depth ? jump(node) : parent(node);
    return node;
  }
  /// The last that both have on their ways from the root; root: nothing.
  std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t both = std::min(depth(a), depth(b));
    a = ancestor(a, both);
    b = ancestor(b, both);
    while (a != b) {
      const bool is_far = jump(a) != jump(b);  // equally deep, and so are their links
      a = is_far ? jump(a) : parent(a);
      b = is_far ? jump(b) : parent(b);
    }
    return a;
  }
  bool is_on_way(std::uint32_t ancestor, std::uint32_t node) const { return common(ancestor, node) == ancestor; }
  const std::vector<CallingContextDef>& nodes() const { return nodes_; }

 private:
  std::uint32_t jump(std::uint32_t node) const { return node == root ? root : jumps_[node]; }

  std::vector<CallingContextDef> nodes_;  ///< parents before children
  std::vector<std::uint32_t> depths_, jumps_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> numbers_;
};

}  // namespace tracer::otf2
