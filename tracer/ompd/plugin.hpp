// SPDX-License-Identifier: BSD-3-Clause
// Which libompd.so may run in this command. The target names it, and the target may be another user's.
#pragma once

#include <string>
#include <vector>

#include "tracer/base/files/file.hpp"
#include "tracer/ompd/target/target.hpp"

namespace tracer::ompd {

/// The user's options for it.
struct PluginChoice {
  std::string file{};                    ///< this one, whatever it is; "" to search
  std::vector<std::string> safe_path{};  ///< directories that may hold the plugin of anybody's process
};

/// A file that was opened once: what was judged is what is loaded, whatever its name leads to by then.
struct Plugin {
  std::string path;
  UniqueFd fd;
};

/// All that may be loaded, best first. For a target of this user, in this command's own root directory, also what the
/// runtime names and what lies beside it; for any other only what is below the safe path. A file must belong to root or
/// to this user, and nobody else may write to it. `refused` gets a line for each that may not.
std::vector<Plugin> find_plugins(const Target& target, const std::vector<std::string>& named,
                                 const std::string& beside_runtime, const PluginChoice& choice,
                                 std::vector<std::string>& refused);

}  // namespace tracer::ompd
