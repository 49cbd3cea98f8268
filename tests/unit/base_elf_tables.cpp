// SPDX-License-Identifier: BSD-3-Clause
// The tables of ELF files, whole and damaged; and the hash that processes agree on.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "catch.hpp"
#include "tracer/base/elf_tables.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/hash.hpp"

using namespace tracer;

namespace {

/// A file without a name that has these bytes.
UniqueFd file_of(const std::string& bytes) {
  char name[] = "/tmp/tracer-elf-XXXXXX";
  UniqueFd fd{::mkstemp(name)};
  ::unlink(name);
  REQUIRE(::write(fd.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  return fd;
}

std::string own_program() {
  std::ifstream in{"/proc/self/exe", std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

TEST_CASE("the tables of an ELF file are its segments and sections") {
  const UniqueFd fd{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
  const std::optional<ElfTables> elf = read_elf_tables(fd.get());
  REQUIRE(elf);
  CHECK(elf->segments.size() == elf->header.e_phnum);
  REQUIRE(elf->sections.size() == elf->header.e_shnum);
  CHECK(std::any_of(elf->segments.begin(), elf->segments.end(), [](const auto& s) { return s.p_type == PT_INTERP; }));
  const std::string names = read_section(fd.get(), elf->sections.at(elf->header.e_shstrndx), 1 << 20);
  CHECK(names.find(std::string{"\0.text\0", 7}) != names.npos);
  CHECK(read_section(fd.get(), elf->sections.at(elf->header.e_shstrndx), 10).empty());  // longer than that
}

TEST_CASE("what is no ELF file has no tables, and a table that is cut off is empty") {
  CHECK_FALSE(read_elf_tables(file_of("").get()));
  CHECK_FALSE(read_elf_tables(file_of(std::string(4096, 'x')).get()));
  CHECK_FALSE(read_elf_tables(-1));
  std::string program = own_program();
  REQUIRE(program.size() > 4096);
  program[EI_CLASS] = ELFCLASS32;
  CHECK_FALSE(read_elf_tables(file_of(program).get()));
  program[EI_CLASS] = ELFCLASS64;
  const std::optional<ElfTables> cut = read_elf_tables(file_of(program.substr(0, 4096)).get());
  REQUIRE(cut);  // sections are described at the end of the file
  CHECK_FALSE(cut->segments.empty());
  CHECK(cut->sections.empty());
  ElfTables wrong = *cut;
  wrong.header.e_phentsize = 1;
  program.replace(0, sizeof wrong.header, reinterpret_cast<const char*>(&wrong.header), sizeof wrong.header);
  CHECK(read_elf_tables(file_of(program).get())->segments.empty());
}

TEST_CASE("FNV-1a is what others call so") {
  CHECK(fnv1a("") == fnv1a_basis);
  CHECK(fnv1a("a") == 0xaf63dc4c8601ec8cu);
  CHECK(fnv1a("foobar") == 0x85944171f73967e8u);
  CHECK(fnv1a("bar", fnv1a("foo")) == fnv1a("foobar"));
}
