// SPDX-License-Identifier: BSD-3-Clause
// What a fake runtime does, as text: one callback a line, played in the order of the lines.
//
//   runtime 24                          the version to behave like (first line; default 22)
//   concurrent                          threads do not wait for each other's lines
//   <thread> <callback> <argument>...   a callback, called by this thread; 0 is the main thread
//   0 control_tool 64 0 "a name"
//   0 finalize                          the tool's finalize
//   0 exit                              _exit(0): no destructor runs
//
// Arguments are the specification's, in its order, without the frames. Data words are named by any
// word that begins with p (parallel), t (task), g (target) or h (host operation), created at first
// use; null is NULL. Numbers are decimal or 0x..., or names (script.cpp), added by +. `#` comments.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "runtime.hpp"

namespace fake {

struct Step {
  unsigned thread = 0;
  std::string callback;
  std::vector<std::string> arguments;
};

struct Script {
  int version = 22;
  bool concurrent = false;
  std::vector<Step> steps;
};

/// Throws std::runtime_error for a line that is not understood.
Script parse_script(std::istream& input);

/// Plays all steps; threads other than 0 are made for it and joined at the end.
void play(const Script& script, Runtime& runtime);

}  // namespace fake
