// SPDX-License-Identifier: BSD-3-Clause
// Many raw traces are converted several at once, each by one thread: a rank often has one only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

#include "tracer/convert/convert.hpp"

namespace tracer {

/// Calls `convert_one` with the number of each of the traces, in any order, for as many at once as `options.threads`
/// says. By the options that it gets, a conversion takes one thread and its share of the limits of the process, and
/// throws PutOff instead of waiting for another process. What `convert_one` throws is dropped: what is not converted
/// then the caller converts alone, and reports. To the caller are also left a single trace, and those that several
/// threads convert sooner: they have more threads than there are traces beside them. `options.progress`, if any, tells
/// how far all are together; 1 comes at the end.
void convert_side_by_side(const std::vector<std::filesystem::path>& traces, const ConvertOptions& options,
                          const std::function<void(std::size_t, const ConvertOptions&)>& convert_one);

}  // namespace tracer
