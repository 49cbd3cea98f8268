// SPDX-License-Identifier: BSD-3-Clause
// Reads symbol tables and build ids with libelf, from files that may be damaged.
#include "tracer/ompd/target/elf_file.hpp"

#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/text.hpp"

namespace tracer::ompd {
namespace {

using OwnedElf = std::unique_ptr<Elf, int (*)(Elf*)>;

/// More than the largest programs have; a damaged section header claims more.
constexpr std::size_t max_symbols = 20'000'000;

void add_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, std::unordered_map<std::string, Symbol>& out) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  const std::size_t count = std::min<std::size_t>(data->d_size / header.sh_entsize, max_symbols);
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Sym symbol{};
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    const char* name = symbol.st_shndx == SHN_UNDEF ? nullptr : elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name == nullptr || *name == '\0') continue;
    out.try_emplace(name, Symbol{symbol.st_value, symbol.st_size, GELF_ST_TYPE(symbol.st_info) == STT_TLS});
  }
}

UniqueFd open_object(const std::string& path, std::string& why) {
  RegularFile file = open_regular(path.c_str(), Links::follow);
  if (!file) why = file.kind != nullptr ? "not a regular file" : std::strerror(file.error);
  return std::move(file.fd);
}

}  // namespace

std::unique_ptr<ElfFile> ElfFile::open(const std::string& path, std::string& why) {
  const UniqueFd fd = open_object(path, why);
  if (!fd) return nullptr;
  std::unique_ptr<ElfFile> file{new ElfFile};
  if (!file->read(fd.get(), false, why)) return nullptr;
  if (!file->has_symtab_) file->read_debug_file(path);
  return file;
}

bool ElfFile::read(int fd, bool symbols_only, std::string& why) {
  elf_version(EV_CURRENT);
  const OwnedElf elf{elf_begin(fd, ELF_C_READ_MMAP, nullptr), elf_end};
  GElf_Ehdr header{};
  if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr) {
    why = "not an ELF file";
    return false;
  }
  if (!symbols_only) {
    machine_ = header.e_machine;
    is_64_bit_ = gelf_getclass(elf.get()) == ELFCLASS64;
    std::size_t count = 0;
    elf_getphdrnum(elf.get(), &count);
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr segment{};
      if (gelf_getphdr(elf.get(), static_cast<int>(i), &segment) == nullptr) break;
      if (segment.p_type == PT_LOAD) segments_.push_back({segment.p_vaddr, segment.p_offset, segment.p_filesz});
    }
  }
  Elf_Scn* section = nullptr;
  std::size_t names = 0;
  elf_getshdrstrndx(elf.get(), &names);
  while ((section = elf_nextscn(elf.get(), section)) != nullptr) {
    GElf_Shdr shdr{};
    if (gelf_getshdr(section, &shdr) == nullptr) break;
    if (shdr.sh_type == SHT_SYMTAB) has_symtab_ = true;
    if (shdr.sh_type == SHT_SYMTAB || shdr.sh_type == SHT_DYNSYM) add_symbols(elf.get(), section, shdr, symbols_);
    if (symbols_only) continue;
    const char* name = elf_strptr(elf.get(), names, shdr.sh_name);
    if (name == nullptr) continue;
    Elf_Data* data = nullptr;
    if (std::strcmp(name, ".note.gnu.build-id") == 0 && (data = elf_getdata(section, nullptr)) != nullptr) {
      GElf_Nhdr note{};
      std::size_t name_offset = 0, offset = 0;
      if (gelf_getnote(data, 0, &note, &name_offset, &offset) != 0 && offset + note.n_descsz <= data->d_size) {
        build_id_ = hexadecimal({static_cast<unsigned char*>(data->d_buf) + offset, note.n_descsz});
        build_id_address_ = shdr.sh_addr + offset;
      }
    } else if (std::strcmp(name, ".gnu_debuglink") == 0 && (data = elf_rawdata(section, nullptr)) != nullptr) {
      const auto* text = static_cast<const char*>(data->d_buf);
      if (text != nullptr) debug_link_.assign(text, strnlen(text, data->d_size));
    }
  }
  return true;
}

// Debian's -dbgsym packages put the stripped symbols under the build id.
void ElfFile::read_debug_file(const std::string& path) {
  std::vector<std::string> candidates;
  if (build_id_.size() > 2)
    candidates.push_back("/usr/lib/debug/.build-id/" + build_id_.substr(0, 2) + "/" + build_id_.substr(2) + ".debug");
  if (!debug_link_.empty() && debug_link_.find('/') == std::string::npos) {
    const std::string directory = path.substr(0, path.rfind('/') + 1);
    for (const auto& place : {directory, directory + ".debug/", "/usr/lib/debug" + directory})
      candidates.push_back(place + debug_link_);
  }
  for (const auto& candidate : candidates) {
    std::string why;
    const UniqueFd fd = open_object(candidate, why);
    if (fd && read(fd.get(), true, why) && has_symtab_) return;
  }
}

std::optional<Symbol> ElfFile::find(std::string_view name) const {
  const auto found = symbols_.find(std::string{name});
  if (found == symbols_.end()) return std::nullopt;
  return found->second;
}

std::string ElfFile::containing(std::uint64_t value) const {
  for (const auto& [name, symbol] : symbols_) {
    if (!symbol.thread_local_storage && value >= symbol.value && value - symbol.value < symbol.size) return name;
  }
  return "";
}

std::optional<std::uint64_t> ElfFile::address_of_offset(std::uint64_t offset) const {
  constexpr std::uint64_t page = 4096;
  for (const Segment& segment : segments_) {
    const std::uint64_t first = segment.offset & ~(page - 1);
    if (offset >= first && offset < segment.offset + segment.size)
      return (segment.address & ~(page - 1)) + (offset - first);
  }
  return std::nullopt;
}

std::uint16_t native_machine() noexcept {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#else
  return EM_NONE;
#endif
}

std::string machine_name(std::uint16_t machine, bool is_64_bit) {
  switch (machine) {
    case EM_X86_64:
      return is_64_bit ? "x86-64" : "x32";
    case EM_386:
      return "i386";
    case EM_AARCH64:
      return "AArch64";
    case EM_ARM:
      return "ARM";
    case EM_PPC64:
      return "POWER";
    case EM_S390:
      return "S/390";
    case EM_RISCV:
      return "RISC-V";
    default:
      return "machine " + std::to_string(machine);
  }
}

}  // namespace tracer::ompd
