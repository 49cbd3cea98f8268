// SPDX-License-Identifier: BSD-3-Clause
// Sampled stacks as calling contexts: the user's functions become regions, and the places of their calls source code
// locations.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "formats/otf2/join/joined_definitions.hpp"
#include "formats/otf2/read/context_tree.hpp"
#include "tracer/base/budget.hpp"
#include "tracer/samples.hpp"

namespace tracer::otf2 {

class SampledStacks {
 public:
  /// All must stay; regions and places are added to `definitions`.
  SampledStacks(const samples::SampleSet& set, JoinedDefinitions& definitions, ContextTree& tree);

  /// The user's frames of a stack before the first, and after the last, of the runtime's.
  struct Parts {
    std::span<const std::uint32_t> before, after, all;
    bool has_gap = false;
  };
  const Parts& parts(std::uint32_t stack) const { return parts_[stack]; }

  /// What the frames are below a context. The function that the compiler made of a construct, which has the name of the
  /// one around it, is left out. Throws tracer::Error where the paths are more than the samples can have.
  std::uint32_t below(std::uint32_t context, std::span<const std::uint32_t> frames);
  /// A region for code of which nothing is known.
  std::uint32_t unknown() { return region_of({}); }
  /// A region that is a function.
  bool is_function(std::uint32_t region) const { return region >= first_function_; }

 private:
  std::uint32_t region_of(const samples::Frame& frame);
  std::uint32_t place_of(const samples::Frame& frame);
  std::uint32_t string(std::uint32_t of_set);
  std::uint32_t function_around(std::uint32_t context) const;

  const samples::SampleSet& set_;
  JoinedDefinitions& definitions_;
  ContextTree& tree_;
  std::uint32_t first_function_;
  Budget room_;                                     ///< of nodes in the tree
  std::vector<std::vector<std::uint32_t>> frames_;  ///< of each stack: the user's, before and after
  std::vector<Parts> parts_;
  std::vector<std::uint32_t> strings_;                                        ///< of the set's
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> regions_;  ///< by function and file
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> places_;   ///< by file and line
};

}  // namespace tracer::otf2
