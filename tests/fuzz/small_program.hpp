// SPDX-License-Identifier: BSD-3-Clause
// A few kilobytes of ELF with symbols and debug information, by the compiler that is there; nothing without one.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tracer::test {

inline bool write_small_program(const std::filesystem::path& path) {
  const std::string source = path.string() + ".c";
  std::ofstream{source} << "int counter;\nint next(int by) {\n  counter += by;\n  return counter;\n}\n"
                           "int main(void) { return next(2) + next(3); }\n";
  const bool made = std::system(("cc -g -O1 -nostdlib -shared -fPIC -Wl,--build-id -o '" + path.string() + "' '" +
                                 source + "' 2>/dev/null")
                                    .c_str()) == 0;
  std::filesystem::remove(source);
  return made;
}

}  // namespace tracer::test
