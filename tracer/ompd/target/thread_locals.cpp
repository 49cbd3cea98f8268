// SPDX-License-Identifier: BSD-3-Clause
// Thread-local addresses: thread pointer -> DTV -> the module's block. As glibc's libthread_db does it.
#include <elf.h>
#include <link.h>

#include <array>

#include "tracer/ompd/target/modules.hpp"

namespace tracer::ompd {
namespace {

constexpr int max_link_maps = 20'000, max_headers = 256, max_dynamic = 4096;
constexpr std::uint64_t unallocated = ~std::uint64_t{0};

}  // namespace

ThreadLocals::ThreadLocals(const Target& target, const Modules& modules) : target_(target), modules_(modules) {}

// _thread_db_X is {bits, count, offset}: three 32-bit words.
std::uint64_t ThreadLocals::described(const char* name, std::uint64_t otherwise) const {
  const auto [known, is_new] = descriptions_.try_emplace(name, otherwise);
  if (!is_new) return known->second;
  const auto address = modules_.address_of(std::string{"_thread_db_"} + name);
  const auto words = address ? target_.value<std::array<std::uint32_t, 3>>(*address) : std::nullopt;
  if (words) known->second = (*words)[2];
  return known->second;
}

std::optional<std::uint64_t> ThreadLocals::first_link_map() const {
  const auto table = target_.auxiliary(AT_PHDR), count = target_.auxiliary(AT_PHNUM);
  if (!table || !count) return std::nullopt;
  std::optional<std::uint64_t> bias, dynamic;
  for (std::uint64_t i = 0; i < *count && i < max_headers; ++i) {
    const auto header = target_.value<Elf64_Phdr>(*table + i * sizeof(Elf64_Phdr));
    if (!header) return std::nullopt;
    if (header->p_type == PT_PHDR) bias = *table - header->p_vaddr;
    if (header->p_type == PT_DYNAMIC) dynamic = header->p_vaddr;
  }
  if (!dynamic) return std::nullopt;
  for (std::uint64_t i = 0; i < max_dynamic; ++i) {
    const auto entry = target_.value<Elf64_Dyn>(bias.value_or(0) + *dynamic + i * sizeof(Elf64_Dyn));
    if (!entry || entry->d_tag == DT_NULL) return std::nullopt;
    if (entry->d_tag != DT_DEBUG) continue;
    const auto debug = target_.value<r_debug>(entry->d_un.d_ptr);
    if (!debug || debug->r_map == nullptr) return std::nullopt;
    return reinterpret_cast<std::uint64_t>(debug->r_map);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ThreadLocals::os_thread(std::uint64_t posix_thread) const {
  const std::uint64_t member = described("pthread_tid", 0);
  const auto id = member == 0 ? std::nullopt : target_.value<std::int32_t>(posix_thread + member);
  if (!id || *id <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(*id);
}

std::optional<std::uint64_t> ThreadLocals::link_map_of(const MappedModule& module) const {
  const auto [known, is_new] = link_maps_.try_emplace(&module);
  if (is_new) known->second = search_link_map(module);
  return known->second;
}

std::optional<std::uint64_t> ThreadLocals::search_link_map(const MappedModule& module) const {
  auto at = first_link_map();
  for (int i = 0; at && *at != 0 && i < max_link_maps; ++i) {
    const auto map = target_.value<link_map>(*at);
    if (!map) return std::nullopt;
    const auto dynamic = reinterpret_cast<std::uint64_t>(map->l_ld);
    if (dynamic >= module.begin && dynamic < module.end) return at;
    at = reinterpret_cast<std::uint64_t>(map->l_next);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ThreadLocals::address(std::uint64_t thread, const MappedModule& module,
                                                   std::uint64_t offset) const {
  const auto registers = target_.registers(thread);
  if (!registers || registers->thread_pointer == 0) return std::nullopt;
  const std::uint64_t pointer = registers->thread_pointer;
#if defined(__aarch64__)
  const std::uint64_t vector_at = pointer;  // tcbhead_t begins with the DTV; struct pthread lies before it
#else
  const std::uint64_t vector_at = pointer + described("pthread_dtvp", 8);
#endif
  const auto map = link_map_of(module);
  std::uint64_t number = 1;  // a program without a dynamic linker has one module
  if (map) {
    const std::uint64_t member = described("link_map_l_tls_modid", 0);
    const auto found = member == 0 ? std::nullopt : target_.value<std::uint64_t>(*map + member);
    if (!found) return std::nullopt;
    number = *found;
  } else if (first_link_map()) {
    return std::nullopt;
  }
  const auto vector = target_.value<std::uint64_t>(vector_at);
  if (!vector) return std::nullopt;
  constexpr std::uint64_t entry_size = 16;  // dtv_t: the block, and what to free
  const auto block = target_.value<std::uint64_t>(*vector + number * entry_size);
  if (!block) return std::nullopt;
  if (*block != unallocated && *block != 0) return *block + offset;
#if defined(__x86_64__)
  // In the static TLS block from the start, though the DTV does not contain it until first use.
  if (map) {
    const std::uint64_t member = described("link_map_l_tls_offset", 0);
    const auto distance = member == 0 ? std::nullopt : target_.value<std::uint64_t>(*map + member);
    if (distance && *distance != 0 && *distance < (std::uint64_t{1} << 32)) return pointer - *distance + offset;
  }
#endif
  return std::nullopt;
}

}  // namespace tracer::ompd
