// SPDX-License-Identifier: BSD-3-Clause
// See processor_kinds.hpp. The counters of processors have a file `cpus`, those of other parts a `cpumask`.
#include "tracer/sample/processor_kinds.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>

#include "tracer/base/files/file.hpp"

namespace tracer::sample {
namespace {

bool share_processors(const ProcessorMask& a, const ProcessorMask& b) {
  return std::transform_reduce(std::begin(a.words), std::end(a.words), std::begin(b.words), 0ul, std::bit_or{},
                               std::bit_and{}) != 0;
}

}  // namespace

unsigned processor_kinds(const ProcessorMask& usable, const std::filesystem::path& devices) {
  unsigned kinds = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(devices, error), end; !error && at != end; at.increment(error)) {
    const std::string text = read_small_file((at->path() / "cpus").c_str(), 4096);
    const std::string_view list = std::string_view{text}.substr(0, text.find('\n'));
    if (share_processors(mask_of(list), usable)) ++kinds;
  }
  return kinds;
}

}  // namespace tracer::sample
