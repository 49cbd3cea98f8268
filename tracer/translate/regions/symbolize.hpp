// SPDX-License-Identifier: BSD-3-Clause
// Return addresses become file, line and function, by the modules that were mapped, from the journal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tracer/journal.hpp"
#include "tracer/translate/regions/regions.hpp"

namespace tracer::translate {

/// Called with a module's path, and why its file is not read: the path "is" that.
using NotRead = std::function<void(const std::string& path, const std::string& why)>;

/// A symbolizer over the run's modules, which are read from disk: a file that was replaced since
/// (another build id) is not believed. Without libdw or debug information the position has a
/// module (and perhaps a function) only. Not for several threads at once.
/// `with_inlined`: frames of functions that the compiler put into others. `not_read`: called at each look-up, once for
/// each module that has one of the addresses and no file to read.
Symbolizer make_symbolizer(std::vector<Module> modules, bool with_inlined = false, NotRead not_read = {});

/// Why no symbolizer finds any line or function here; "" where it does.
std::string why_no_lines();

}  // namespace tracer::translate
