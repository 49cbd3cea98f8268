// SPDX-License-Identifier: BSD-3-Clause
// Which files may be the libcupti that belongs to the CUDA of this process, best first.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tracer::device::cupti {

/// `loaded`: the paths of the process's libraries. `files_of` lists the names in a directory. Python's wheels have a
/// directory for each library, and may put a hash into its name (libcudart-d0da41ae.so.12).
std::vector<std::string> names_of_cupti(const std::vector<std::string>& loaded,
                                        const std::function<std::vector<std::string>(const std::string&)>& files_of);
/// Does a library of the process need CUPTI? Then the program may want to profile itself, as PyTorch does. False also
/// while a thread forks.
bool process_has_profiler() noexcept;
/// Of this process.
std::vector<std::string> names_of_cupti();

}  // namespace tracer::device::cupti
