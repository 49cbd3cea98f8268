// SPDX-License-Identifier: BSD-3-Clause
// See jit_names.hpp.
#include "tracer/sample/jit_names.hpp"

#include <elf.h>
#include <link.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "tracer/base/loaded_objects.hpp"
#include "tracer/base/loader_gate.hpp"

namespace tracer::sample {
namespace {

constexpr char list_symbol[] = "__jit_debug_descriptor";
constexpr std::uint64_t largest_object = 64 << 20, most_bytes = 512 << 20;
constexpr std::size_t most_objects = 100'000, most_sections = 10'000, longest_name = 4096;

/// GDB's.
struct Descriptor {
  std::uint32_t version, action;
  std::uint64_t relevant, first;
};
struct Entry {
  std::uint64_t next, previous, object, size;
};

bool read_memory(std::uint64_t address, void* to, std::size_t size) {
  iovec mine{to, size}, there{reinterpret_cast<void*>(address), size};
  return ::process_vm_readv(::getpid(), &mine, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

std::uint32_t hash_of(const char* name) noexcept {
  std::uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

/// Where a loaded object defines the name, by its table of hashes; 0: it does not.
std::uint64_t place_of(const LoadedObject& object, const char* name) noexcept {
  const auto* const symbols = object.table<ElfW(Sym)>(DT_SYMTAB);
  const auto* const hashes = object.table<std::uint32_t>(DT_GNU_HASH);
  if (symbols == nullptr || object.strings() == nullptr || hashes == nullptr || hashes[0] == 0) return 0;
  const std::uint32_t buckets = hashes[0], first = hashes[1], bloom_words = hashes[2], hash = hash_of(name);
  const std::uint32_t* const bucket = hashes + 4 + 2 * std::size_t{bloom_words};
  const std::uint32_t* const chain = bucket + buckets;
  std::uint32_t at = bucket[hash % buckets];
  if (at < first) return 0;
  for (;; ++at) {
    const std::uint32_t other = chain[at - first];
    const ElfW(Sym)& symbol = symbols[at];
    if ((other | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0 &&
        std::strcmp(object.strings() + symbol.st_name, name) == 0)
      return object.base + symbol.st_value;
    if ((other & 1) != 0) return 0;
  }
}

struct Search {
  std::uint64_t loads, unloads;  ///< known already
  bool is_new = false;
  std::uint64_t found[16];
  std::size_t count = 0;
};

/// The loader holds its lock: the object stays.
int look_at(dl_phdr_info* object, std::size_t, void* data) noexcept {
  auto& search = *static_cast<Search*>(data);
  if (!search.is_new && object->dlpi_adds == search.loads && object->dlpi_subs == search.unloads) return 1;
  search.is_new = true;
  search.loads = object->dlpi_adds;
  search.unloads = object->dlpi_subs;
  const std::uint64_t place = place_of(LoadedObject(*object), list_symbol);
  if (place != 0 && search.count < std::size(search.found)) search.found[search.count++] = place;
  return 0;
}

/// Bytes of an object that another thread may be changing.
class Object {
 public:
  Object(std::uint64_t address, std::uint64_t size) : bytes_(size) {
    if (!read_memory(address, bytes_.data(), size)) bytes_.clear();
  }
  template <typename T>
  bool get(std::uint64_t at, T& value) const noexcept {
    if (at > bytes_.size() || bytes_.size() - at < sizeof value) return false;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return true;
  }
  std::string_view text(std::uint64_t at) const noexcept {
    if (at >= bytes_.size()) return {};
    const char* begin = bytes_.data() + at;
    return {begin, ::strnlen(begin, std::min<std::uint64_t>(bytes_.size() - at, longest_name))};
  }

 private:
  std::vector<char> bytes_;
};

void add_line(std::uint64_t begin, std::uint64_t size, std::string_view name, std::string& lines) {
  char numbers[48];
  const int length = std::snprintf(numbers, sizeof numbers, "%lx %lx ", begin, size);
  lines.append(numbers, static_cast<std::size_t>(length));
  for (const char c : name) lines += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  lines += '\n';
}

}  // namespace

void JitNames::find_descriptors() {
  Search search{loads_, unloads_, false, {}, 0};
  LoaderGate::try_iterate(look_at, &search);
  if (!search.is_new) return;
  loads_ = search.loads;
  unloads_ = search.unloads;
  descriptors_ = {search.found, search.found + search.count};
}

// A compiler puts the sections' places in memory into its file's section table, also of a file that is to be linked.
void JitNames::read_object(std::uint64_t address, std::uint64_t size, std::string& lines) {
  const Object object(address, size);
  Elf64_Ehdr header;
  if (!object.get(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr))
    return;
  std::vector<Elf64_Shdr> sections(std::min<std::size_t>(header.e_shnum, most_sections));
  for (std::size_t i = 0; i < sections.size(); ++i)
    if (!object.get(header.e_shoff + i * sizeof(Elf64_Shdr), sections[i])) return;
  for (const Elf64_Shdr& table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) continue;
    Elf64_Sym symbol;
    for (std::uint64_t at = 0; at + sizeof symbol <= table.sh_size; at += sizeof symbol) {
      if (!object.get(table.sh_offset + at, symbol)) return;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0 || symbol.st_shndx >= sections.size())
        continue;
      const std::uint64_t section = sections[symbol.st_shndx].sh_addr;
      if (header.e_type == ET_REL && section == 0) continue;
      const std::string_view name = object.text(sections[table.sh_link].sh_offset + symbol.st_name);
      if (!name.empty())
        add_line((header.e_type == ET_REL ? section : 0) + symbol.st_value, symbol.st_size, name, lines);
    }
  }
}

// The newest is the first of the list.
void JitNames::read_list(std::uint64_t descriptor, std::string& lines) {
  Descriptor list;
  if (!read_memory(descriptor, &list, sizeof list) || list.version != 1) return;
  Entry entry;
  for (std::uint64_t at = list.first; at != 0 && seen_.size() < most_objects; at = entry.next) {
    if (!read_memory(at, &entry, sizeof entry)) return;
    if (!seen_.emplace(entry.object, entry.size).second) return;
    if (entry.size > largest_object || bytes_ + entry.size > most_bytes) continue;
    bytes_ += entry.size;
    read_object(entry.object, entry.size, lines);
  }
}

std::string JitNames::take() {
  std::string lines;
  find_descriptors();
  for (const std::uint64_t descriptor : descriptors_) read_list(descriptor, lines);
  return lines;
}

}  // namespace tracer::sample
