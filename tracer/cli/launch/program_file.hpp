// SPDX-License-Identifier: BSD-3-Clause
// The kind and the symbols of an executable or a library, from its file.
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tracer/base/elf_tables.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/error.hpp"

namespace tracer::cli {

/// The parts of a 64-bit ELF file of this machine's byte order that Tracer uses.
class ProgramFile {
 public:
  /// Throws tracer::Error where it cannot be opened.
  explicit ProgramFile(const std::filesystem::path& path) : fd_{::open(path.c_str(), O_RDONLY | O_CLOEXEC)} {
    struct stat info {};
    if (!fd_ || ::fstat(fd_.get(), &info) != 0)
      throw Error{"cannot read " + path.string() + ": " + std::strerror(errno)};
    size_ = static_cast<std::uint64_t>(info.st_size);
    elf_ = read_elf_tables(fd_.get());
    unsigned char begin[SELFMAG];
    is_elf_ = read_at(fd_.get(), begin, sizeof begin, 0) && std::memcmp(begin, ELFMAG, SELFMAG) == 0;
  }
  bool valid() const { return elf_.has_value(); }
  /// Of any kind, also for another processor or of 32 bits.
  bool is_elf() const { return is_elf_; }
  bool is_for_this_processor() const {
#if defined(__x86_64__)
    return elf_ && elf_->header.e_machine == EM_X86_64;
#elif defined(__aarch64__)
    return elf_ && elf_->header.e_machine == EM_AARCH64;
#else
    return valid();
#endif
  }
  /// The loader that the program wants; "": it is linked statically.
  std::string interpreter() const {
    constexpr std::uint64_t longest = 4096;
    if (!elf_) return {};
    for (const Elf64_Phdr& segment : elf_->segments) {
      if (segment.p_type != PT_INTERP || segment.p_filesz > longest) continue;
      std::string path(segment.p_filesz, '\0');
      if (read_at(fd_.get(), path.data(), path.size(), segment.p_offset)) return path.substr(0, path.find('\0'));
    }
    return {};
  }
  bool has_interpreter() const {
    return elf_ && std::any_of(elf_->segments.begin(), elf_->segments.end(),
                               [](const Elf64_Phdr& segment) { return segment.p_type == PT_INTERP; });
  }

  /// Calls `found(name)` for each defined symbol of .symtab and .dynsym.
  template <class Found>
  void for_each_definition(Found found) const {
    const auto defined = [&](std::string_view name, const Elf64_Sym& symbol) {
      if (symbol.st_shndx != SHN_UNDEF) found(name);
    };
    for_each_symbol(SHT_SYMTAB, defined);
    for_each_symbol(SHT_DYNSYM, defined);
  }

  /// The first bytes of a function that the loader sees; "" where there is none of that name.
  std::string code_of(std::string_view function, std::size_t size) const {
    std::string code;
    for_each_dynamic_symbol([&](std::string_view name, const Elf64_Sym& symbol) {
      if (!code.empty() || name != function || symbol.st_shndx == SHN_UNDEF) return;
      for (const Elf64_Phdr& segment : elf_->segments) {
        if (segment.p_type != PT_LOAD || symbol.st_value - segment.p_vaddr >= segment.p_filesz) continue;
        code.resize(size);
        if (!read_at(fd_.get(), code.data(), size, segment.p_offset + (symbol.st_value - segment.p_vaddr)))
          code.clear();
      }
    });
    return code;
  }

  /// Calls `found(name, symbol)` for each symbol that the loader sees.
  template <class Found>
  void for_each_dynamic_symbol(Found found) const {
    for_each_symbol(SHT_DYNSYM, found);
  }

 private:
  template <class Found>
  void for_each_symbol(std::uint32_t table, Found found) const {
    if (!elf_) return;
    for (const Elf64_Shdr& section : elf_->sections) {
      if (section.sh_type != table || section.sh_link >= elf_->sections.size()) continue;
      const std::string symbols = read_section(fd_.get(), section, size_);
      const std::string names = read_section(fd_.get(), elf_->sections[section.sh_link], size_);
      for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        std::memcpy(&symbol, symbols.data() + at, sizeof symbol);
        if (symbol.st_name < names.size()) found(std::string_view{names.c_str() + symbol.st_name}, symbol);
      }
    }
  }

  UniqueFd fd_;
  std::uint64_t size_ = 0;
  bool is_elf_ = false;
  std::optional<ElfTables> elf_;
};

}  // namespace tracer::cli
