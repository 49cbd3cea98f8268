// SPDX-License-Identifier: BSD-3-Clause
// What the fake driver reads of a device image (ELF of LLVM's compiler, PTX of GCC's): its length, its functions, and
// how large its variables are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tracer::test::fake_cuda {

/// "// BEGIN PREAMBLE": GCC's PTX begins with a comment.
inline bool is_ptx(std::string_view image) noexcept {
  return image.substr(0, 2) == "//";
}

/// As size_in(), of a text: ".visible .entry NAME", ".visible .global .align 8 .u64 NAME[512];"
inline std::size_t size_in_ptx(std::string_view text, std::string_view name) {
  for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const char after = at + name.size() < text.size() ? text[at + name.size()] : ' ';
    if (at == 0 || text[at - 1] != ' ' || std::string_view(" ;[=(\n").find(after) == std::string_view::npos) continue;
    const auto line = text.substr(text.rfind('\n', at) + 1);
    const auto before = line.substr(0, at - static_cast<std::size_t>(line.data() - text.data()));
    if (before.find(".entry") != before.npos) return 1;
    if (before.find(".extern") != before.npos || before.find(".global") == before.npos) continue;
    const auto type = before.find_last_of('.');
    const auto bits = std::stoul(std::string(before.substr(before.find_first_of("0123456789", type))));
    return bits / 8 * (after == '[' ? std::stoul(std::string(text.substr(at + name.size() + 1, 20))) : 1);
  }
  return 0;
}

/// The size that the image's symbol table gives a variable, 1 for a function, 0 if there is neither: LLVM's and GCC's
/// plugins compare.
inline std::size_t size_in(const std::string& image, const char* name) {
  if (is_ptx(image)) return size_in_ptx(image, name);
  // ELF64: header with section offsets; the image is trusted, as the program's own
  struct Header {
    unsigned char ident[16];
    std::uint16_t type, machine;
    std::uint32_t version;
    std::uint64_t entry, program, sections;
    std::uint32_t flags;
    std::uint16_t size, program_size, programs, section_size, section_count, names;
  };
  struct Section {
    std::uint32_t name, type;
    std::uint64_t flags, address, offset, size;
    std::uint32_t link, info;
    std::uint64_t align, entry;
  };
  struct Symbol {
    std::uint32_t name;
    unsigned char info, other;
    std::uint16_t section;
    std::uint64_t value, size;
  };
  if (image.size() < sizeof(Header)) return 0;
  const auto* base = image.data();
  const auto* header = reinterpret_cast<const Header*>(base);
  const auto* sections = reinterpret_cast<const Section*>(base + header->sections);
  for (unsigned i = 0; i < header->section_count; ++i) {
    if (sections[i].type != 2) continue;
    const auto* symbols = reinterpret_cast<const Symbol*>(base + sections[i].offset);
    const char* names = base + sections[sections[i].link].offset;
    for (std::size_t s = 0; s < sections[i].size / sizeof(Symbol); ++s) {
      if (std::strcmp(names + symbols[s].name, name) == 0 && symbols[s].section != 0)
        return symbols[s].size ? symbols[s].size : 1;
    }
  }
  return 0;
}

/// An ELF image's section headers are last; a text ends with a null character. Empty: of another kind.
inline std::string copy_image(const void* image) {
  const auto* bytes = static_cast<const char*>(image);
  if (is_ptx(bytes)) return bytes;
  if (std::memcmp(bytes, "\177ELF", 4) != 0) return {};
  std::uint64_t sections = 0, programs = 0;
  std::uint16_t count = 0, size = 0, pcount = 0, psize = 0;
  std::memcpy(&programs, bytes + 32, 8);
  std::memcpy(&sections, bytes + 40, 8);
  std::memcpy(&psize, bytes + 54, 2);
  std::memcpy(&pcount, bytes + 56, 2);
  std::memcpy(&size, bytes + 58, 2);
  std::memcpy(&count, bytes + 60, 2);
  return {bytes, std::max(sections + std::uint64_t{count} * size, programs + std::uint64_t{pcount} * psize)};
}

}  // namespace tracer::test::fake_cuda
