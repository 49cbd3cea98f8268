// SPDX-License-Identifier: BSD-3-Clause
// What the plugin calls back: memory, symbols, sizes, byte order, threads, output.
#pragma once

#include <omp-tools.h>

#include <string>
#include <vector>

namespace tracer::ompd {

const ompd_callbacks_t* plugin_callbacks() noexcept;
/// Lines the plugin printed since the start, at most 100.
const std::vector<std::string>& plugin_messages();

}  // namespace tracer::ompd
