// SPDX-License-Identifier: BSD-3-Clause
// See zstd_sections.hpp. The copy is the file itself; what was decompressed stands behind it, where the section headers
// say.
#include "tracer/translate/regions/zstd_sections.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "tracer/base/elf_tables.hpp"
#include "tracer/base/files/file.hpp"

namespace tracer::translate {
namespace {

constexpr std::uint32_t by_zstd = 2;  // ELFCOMPRESS_ZSTD, which older elf.h do not have
/// Of the copy: a damaged file may claim anything.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

struct LibZstd {
  decltype(&::ZSTD_decompress) decompress;
  decltype(&::ZSTD_isError) is_error;
};

const LibZstd* libzstd() {
  static LibZstd functions{};
  static const bool loaded = [] {
    void* library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    functions.decompress = reinterpret_cast<decltype(functions.decompress)>(dlsym(library, "ZSTD_decompress"));
    functions.is_error = reinterpret_cast<decltype(functions.is_error)>(dlsym(library, "ZSTD_isError"));
    return functions.decompress && functions.is_error;
  }();
  return loaded ? &functions : nullptr;
}

/// A section that zstd has compressed.
struct Compressed {
  std::uint64_t header_at;  ///< in the file
  Elf64_Shdr header;
  Elf64_Chdr compression;
};

/// Of an ELF file of this machine's kind; nothing of others. Not by a mapping: files may be cut while they are read.
std::vector<Compressed> compressed_sections(int fd, std::uint64_t size) {
  std::vector<Compressed> found;
  const std::optional<ElfTables> elf = read_elf_tables(fd);
  for (std::size_t i = 0; elf && i < elf->sections.size(); ++i) {
    Compressed section{elf->header.e_shoff + i * sizeof(Elf64_Shdr), elf->sections[i], {}};
    const bool is_whole = section.header.sh_size >= sizeof section.compression && section.header.sh_offset <= size &&
                          section.header.sh_size <= size - section.header.sh_offset;
    if ((section.header.sh_flags & SHF_COMPRESSED) == 0 || !is_whole ||
        !read_at(fd, &section.compression, sizeof section.compression, section.header.sh_offset))
      continue;
    if (section.compression.ch_type == by_zstd) found.push_back(section);
  }
  return found;
}

/// The file with its sections decompressed: `end` is where they begin.
bool fill(std::byte* copy, std::uint64_t end, const std::vector<Compressed>& sections) noexcept {
  for (Compressed section : sections) {
    const std::uint64_t bytes = section.compression.ch_size;
    const std::size_t got =
        libzstd()->decompress(copy + end, bytes, copy + section.header.sh_offset + sizeof section.compression,
                              section.header.sh_size - sizeof section.compression);
    if (libzstd()->is_error(got) != 0 || got != bytes) return false;
    section.header.sh_offset = end;
    section.header.sh_size = bytes;
    section.header.sh_addralign = section.compression.ch_addralign;
    section.header.sh_flags &= ~static_cast<Elf64_Xword>(SHF_COMPRESSED);
    std::memcpy(copy + section.header_at, &section.header, sizeof section.header);
    end += bytes;
  }
  return true;
}

}  // namespace

int without_zstd(int fd) noexcept try {
  struct stat info {};
  if (fd < 0 || ::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return -1;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  const std::vector<Compressed> sections = compressed_sections(fd, size);
  if (sections.empty() || !libzstd()) return -1;
  std::uint64_t all = size;
  for (const Compressed& section : sections) {
    if (section.compression.ch_size > most_bytes - std::min(all, most_bytes)) return -1;
    all += section.compression.ch_size;
  }
  UniqueFd copy{memfd_create("tracer-debug", MFD_CLOEXEC)};
  if (!copy || ::ftruncate(copy.get(), static_cast<off_t>(all)) != 0) return -1;
  void* const at = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED, copy.get(), 0);
  if (at == MAP_FAILED) return -1;
  const bool good = read_at(fd, at, size, 0) && fill(static_cast<std::byte*>(at), size, sections);
  munmap(at, all);
  return good ? copy.release() : -1;
} catch (...) {
  return -1;
}

}  // namespace tracer::translate
