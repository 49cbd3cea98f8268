// SPDX-License-Identifier: BSD-3-Clause
// What an executable or a library says of itself in its file: its kind and its symbols.
#pragma once

#include <elf.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/error.hpp"

namespace tracer::cli {

/// The parts of a 64-bit ELF file of this machine's byte order that we ask about.
class ProgramFile {
 public:
  explicit ProgramFile(const std::filesystem::path& path) : in_{path, std::ios::binary} {
    if (!in_) throw Error{"cannot read " + path.string() + ": " + std::strerror(errno)};
    in_.seekg(0, std::ios::end);
    size_ = static_cast<std::uint64_t>(in_.tellg());
    valid_ = read(0, &header_, sizeof header_) && std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 &&
             header_.e_ident[EI_CLASS] == ELFCLASS64;
  }
  bool valid() const { return valid_; }

  bool has_interpreter() {
    for (unsigned i = 0; i < header_.e_phnum; ++i) {
      Elf64_Phdr segment;
      if (!read(header_.e_phoff + i * std::uint64_t{sizeof segment}, &segment, sizeof segment)) return false;
      if (segment.p_type == PT_INTERP) return true;
    }
    return false;
  }

  /// Calls `found(name)` for each defined symbol of .symtab and .dynsym.
  template <class Found>
  void for_each_definition(Found found) {
    for_each_symbol([](std::uint32_t) { return true; },
                    [&](std::string_view name, const Elf64_Sym& symbol) {
                      if (symbol.st_shndx != SHN_UNDEF) found(name);
                    });
  }

  /// Calls `found(name, symbol)` for each symbol that the loader sees.
  template <class Found>
  void for_each_dynamic_symbol(Found found) {
    for_each_symbol([](std::uint32_t table) { return table == SHT_DYNSYM; }, found);
  }

 private:
  template <class Wanted, class Found>
  void for_each_symbol(Wanted wanted, Found found) {
    std::vector<Elf64_Shdr> sections(header_.e_shnum);
    if (sections.empty() || !read(header_.e_shoff, sections.data(), sections.size() * sizeof sections[0])) return;
    for (const Elf64_Shdr& section : sections) {
      if ((section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) || !wanted(section.sh_type) ||
          section.sh_link >= sections.size())
        continue;
      const Elf64_Shdr& names = sections[section.sh_link];
      if (section.sh_size > size_ || names.sh_size > size_) continue;
      std::vector<Elf64_Sym> symbols(section.sh_size / sizeof(Elf64_Sym));
      std::string text(names.sh_size, '\0');
      if (!read(section.sh_offset, symbols.data(), symbols.size() * sizeof symbols[0])) continue;
      if (!read(names.sh_offset, text.data(), text.size())) continue;
      for (const Elf64_Sym& symbol : symbols) {
        if (symbol.st_name < text.size()) found(std::string_view{text.c_str() + symbol.st_name}, symbol);
      }
    }
  }

  bool read(std::uint64_t offset, void* to, std::size_t bytes) {
    if (offset > size_ || bytes > size_ - offset) return false;
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
    in_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    return static_cast<std::size_t>(in_.gcount()) == bytes;
  }

  std::ifstream in_;
  std::uint64_t size_ = 0;
  Elf64_Ehdr header_{};
  bool valid_ = false;
};

}  // namespace tracer::cli
