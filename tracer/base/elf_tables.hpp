// SPDX-License-Identifier: BSD-3-Clause
// The tables at the edges of an ELF file: header, segments, sections. Of files that may be damaged, or cut while they
// are read: nothing is mapped.
#pragma once

#include <elf.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tracer {

struct ElfTables {
  Elf64_Ehdr header{};
  std::vector<Elf64_Phdr> segments;
  std::vector<Elf64_Shdr> sections;
};

/// Of a 64-bit file of this machine's byte order, else nothing. A table that cannot be read whole is empty.
std::optional<ElfTables> read_elf_tables(int fd);

/// A section's bytes, those of at most `most`; "" for a longer one, and where it cannot be read.
std::string read_section(int fd, const Elf64_Shdr& section, std::uint64_t most);

}  // namespace tracer
