// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a program whose source lines are looked up by libdw.
#include <fstream>

#include "support/scratch.hpp"
#include "tracer/translate/regions/symbolize.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tracer::test::Scratch scratch;
  tracer::Module module;
  module.path = scratch / "program";
  module.begin = 0x1000;
  module.end = 0x100000;
  std::ofstream{module.path, std::ios::binary | std::ios::trunc}.write(reinterpret_cast<const char*>(data),
                                                                       static_cast<std::streamsize>(size));
  const auto look_up = tracer::translate::make_symbolizer({module}, true);
  look_up({0x1001, 0x1008, 0x1010, 0x1020, 0x2000, 0xffff});
  return 0;
}
