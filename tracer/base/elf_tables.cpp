// SPDX-License-Identifier: BSD-3-Clause
// See elf_tables.hpp.
#include "tracer/base/elf_tables.hpp"

#include <bit>
#include <cstring>

#include "tracer/base/files/file.hpp"

namespace tracer {
namespace {

template <class Entry>
std::vector<Entry> read_table(int fd, std::uint64_t offset, std::size_t count, std::size_t entry_size) {
  std::vector<Entry> table(entry_size == sizeof(Entry) ? count : 0);
  if (!table.empty() && !read_at(fd, table.data(), table.size() * sizeof(Entry), offset)) table.clear();
  return table;
}

}  // namespace

std::optional<ElfTables> read_elf_tables(int fd) {
  constexpr auto byte_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  ElfTables elf;
  const Elf64_Ehdr& header = elf.header;
  if (!read_at(fd, &elf.header, sizeof elf.header, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != byte_order)
    return std::nullopt;
  elf.segments = read_table<Elf64_Phdr>(fd, header.e_phoff, header.e_phnum, header.e_phentsize);
  elf.sections = read_table<Elf64_Shdr>(fd, header.e_shoff, header.e_shnum, header.e_shentsize);
  return elf;
}

std::string read_section(int fd, const Elf64_Shdr& section, std::uint64_t most) {
  std::string bytes(section.sh_size <= most ? section.sh_size : 0, '\0');
  if (!bytes.empty() && !read_at(fd, bytes.data(), bytes.size(), section.sh_offset)) bytes.clear();
  return bytes;
}

}  // namespace tracer
