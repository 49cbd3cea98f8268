// SPDX-License-Identifier: BSD-3-Clause
// fake_runtime SCRIPT: a process whose OpenMP runtime does what the script says. The tool is linked in.
#include <cstdio>
#include <exception>
#include <fstream>

#include "../sanitizer_defaults.hpp"
#include "script.hpp"

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s SCRIPT\n", argv[0]);
    return 2;
  }
  std::ifstream file(argv[1]);
  if (!file) {
    std::fprintf(stderr, "%s: cannot be read\n", argv[1]);
    return 2;
  }
  const fake::Script script = fake::parse_script(file);
  fake::Runtime runtime(script.version);
  if (!runtime.start()) std::fprintf(stderr, "fake_runtime: the tool declined\n");
  fake::play(script, runtime);
  return 0;
} catch (const std::exception& exception) {
  std::fprintf(stderr, "fake_runtime: %s\n", exception.what());
  return 2;
}
