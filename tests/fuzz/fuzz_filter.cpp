// SPDX-License-Identifier: BSD-3-Clause
// Any text as a filter file: rules that regions are held against, or an Error.
#include "tracer/cut/filter.hpp"
#include "tracer/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;  // matching is the C library's, and its time grows with the pattern
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try {
    tracer::report::Filter filter;
    filter.add_text(text, "filter");
    tracer::Region region;
    region.name = region.canonical = "!$omp parallel @stencil.c:44";
    region.source_file = "/home/user/stencil.c";
    region.description = "solve, sweep";
    filter.keeps(region);
    filter.text();
  } catch (const tracer::Error&) {
  }
  try {
    tracer::report::parse_duration(text);
  } catch (const tracer::Error&) {
  }
  return 0;
}
