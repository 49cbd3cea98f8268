// SPDX-License-Identifier: BSD-3-Clause
// Kinds of processors, by directories as the kernel has them.
#include <filesystem>
#include <fstream>
#include <string>

#include "catch.hpp"
#include "tests/support/scratch.hpp"
#include "tracer/base/processors.hpp"
#include "tracer/sample/processor_kinds.hpp"

using namespace tracer;

namespace {

void add_device(const std::filesystem::path& device, const std::string& file, const std::string& text) {
  std::filesystem::create_directories(device);
  std::ofstream(device / file) << text;
}

}  // namespace

TEST_CASE("kinds of processors are those with counters of their own that the process may use") {
  const test::Scratch scratch;
  const auto kinds = [&](const char* usable) { return sample::processor_kinds(mask_of(usable), scratch.path()); };
  CHECK(kinds("0-23") == 0);
  add_device(scratch / "cpu", "type", "4\n");
  add_device(scratch / "uncore_imc_0", "cpumask", "0\n");
  CHECK(kinds("0-23") == 0);
  add_device(scratch / "cpu_core", "cpus", "0-15\n");
  CHECK(kinds("0-23") == 1);
  add_device(scratch / "cpu_atom", "cpus", "16-23\n");
  CHECK(kinds("0-23") == 2);
  CHECK(kinds("4-7") == 1);
  CHECK(kinds("15,16") == 2);
  CHECK(sample::processor_kinds(mask_of("0-23"), scratch / "none") == 0);
}
