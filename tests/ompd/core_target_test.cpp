// SPDX-License-Identifier: BSD-3-Clause
// Core files made by hand: right, cut off anywhere, and with every field wrong.
#include "tracer/ompd/target/core_target.hpp"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#include "catch.hpp"
#include "ompd/core_file.hpp"
#include "tracer/ompd/target/refusal.hpp"

using namespace tracer::ompd;
using tracer::test::core_file;
using tracer::test::memory_at;

namespace {

struct TemporaryFile {
  std::string path = "/tmp/tracer-core-test-" + std::to_string(getpid());
  ~TemporaryFile() { unlink(path.c_str()); }
  const std::string& with(const std::string& bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    return path;
  }
};

/// Uses all of it; CannotLook is the only way to say no.
bool survives(const std::string& path) {
  try {
    const CoreTarget core{path};
    char buffer[256];
    for (const std::uint64_t address : {memory_at, std::uint64_t{0}, ~std::uint64_t{0} - 3, std::uint64_t{0x20010}})
      core.read(address, buffer, sizeof buffer);
    for (const std::uint64_t id : core.threads()) core.registers(id);
    return core.text(memory_at).size() <= 4096;
  } catch (const CannotLook&) {
    return true;
  }
}

}  // namespace

TEST_CASE("a core file gives threads, memory, mappings and the signal") {
  const TemporaryFile file;
  const CoreTarget core{file.with(core_file())};
  CHECK(core.threads() == std::vector<std::uint64_t>{10, 11});
  CHECK(core.signal() == 6);
  CHECK(core.text(memory_at) == "hello");
  REQUIRE(core.mappings().size() == 1);
  CHECK(core.mappings()[0].path == "/nowhere/libomp.so");
  CHECK(core.mappings()[0].file_offset == 2 * 4096);
  CHECK_FALSE(core.truncated());
}

TEST_CASE("memory that is in neither the core nor a file is not there") {
  const TemporaryFile file;
  CoreTarget core{file.with(core_file())};
  char buffer[64];
  CHECK(core.read(memory_at + 10, buffer, sizeof buffer) == 6);
  CHECK(core.read(0x20000, buffer, sizeof buffer) == 0);
  CHECK(core.read(~std::uint64_t{0}, buffer, sizeof buffer) == 0);
  CHECK_FALSE(core.write(memory_at, "x", 1));
}

TEST_CASE("a core file may end anywhere") {
  const TemporaryFile file;
  const std::string bytes = core_file();
  for (std::size_t size = 0; size < bytes.size(); ++size) REQUIRE(survives(file.with(bytes.substr(0, size))));
}

TEST_CASE("a core file may say anything") {
  const TemporaryFile file;
  const std::string bytes = core_file();
  std::mt19937_64 random{7};
  const char* knob = std::getenv("TRACER_STRESS");
  const int rounds = 4'000 * (knob == nullptr ? 1 : std::max(1, std::atoi(knob)));
  for (int i = 0; i < rounds; ++i) {
    std::string changed = bytes;
    for (auto count = random() % 4 + 1; count > 0; --count) {
      const std::uint64_t values[] = {random(), random() % 256, ~std::uint64_t{0}, std::uint64_t{1} << (random() % 64)};
      const std::uint64_t value = values[random() % 4];
      const std::size_t size = std::size_t{1} << (random() % 4), at = 7 + random() % (changed.size() - 16);
      std::memcpy(changed.data() + at, &value, size);
    }
    REQUIRE(survives(file.with(changed)));
  }
}

TEST_CASE("another machine's core file is refused as that") {
  const TemporaryFile file;
  std::string bytes = core_file();
  bytes[18] = static_cast<char>(EM_RISCV);
  try {
    CoreTarget core{file.with(bytes)};
    FAIL("accepted");
  } catch (const CannotLook& error) {
    CHECK(error.why() == Refusal::other_architecture);
    CHECK(std::string{error.what()}.find("RISC-V") != std::string::npos);
  }
}
