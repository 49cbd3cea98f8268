// SPDX-License-Identifier: BSD-3-Clause
// Finds the files behind the mappings.
#include "tracer/ompd/target/modules.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

namespace tracer::ompd {
namespace {

/// Whether the image in memory carries another build id than the file.
bool is_other_build(const Target& target, const MappedModule& module) {
  const auto address = module.file->build_id_address();
  if (!address) return false;
  const std::string& id = module.file->build_id();
  std::string mapped(id.size() / 2, '\0');
  if (!target.read_all(module.bias + *address, mapped.data(), mapped.size())) return false;
  static constexpr char digits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < mapped.size(); ++i) {
    const auto byte = static_cast<unsigned char>(mapped[i]);
    if (id[2 * i] != digits[byte >> 4] || id[2 * i + 1] != digits[byte & 15]) return true;
  }
  return false;
}

}  // namespace

std::optional<std::uint64_t> MappedModule::address_of(std::string_view symbol) const {
  if (file == nullptr || other_build) return std::nullopt;
  const auto found = file->find(symbol);
  if (!found || found->thread_local_storage) return std::nullopt;
  return bias + found->value;
}

Modules::Modules(const Target& target) {
  std::unordered_map<std::string, std::size_t> places;  // in modules_, by path
  for (const Mapping& mapping : target.mappings()) {
    if (mapping.path.empty() || mapping.path[0] != '/' || mapping.path.starts_with("/dev/")) continue;
    if (const auto place = places.find(mapping.path); place != places.end()) {
      MappedModule& known = modules_[place->second];
      known.begin = std::min(known.begin, mapping.begin);
      known.end = std::max(known.end, mapping.end);
      continue;
    }
    MappedModule module{.path = mapping.path, .begin = mapping.begin, .end = mapping.end};
    module.file = ElfFile::open(target.file(mapping.path), module.why);
    if (module.file != nullptr) {
      const auto address = module.file->address_of_offset(mapping.file_offset);
      if (!address) continue;  // a mapped data file that happens to be ELF
      module.bias = mapping.begin - *address;
      module.other_build = is_other_build(target, module);
      if (module.other_build) module.why = "the file was replaced since: its build id is another one";
    }
    places.emplace(mapping.path, modules_.size());
    modules_.push_back(std::move(module));
  }
}

const MappedModule* Modules::defining(std::string_view symbol) const {
  for (const MappedModule& module : modules_) {
    if (module.file != nullptr && !module.other_build && module.file->find(symbol)) return &module;
  }
  return nullptr;
}

std::optional<std::uint64_t> Modules::address_of(std::string_view symbol) const {
  const MappedModule* module = defining(symbol);
  return module == nullptr ? std::nullopt : module->address_of(symbol);
}

const MappedModule* Modules::at(std::uint64_t address) const noexcept {
  for (const MappedModule& module : modules_) {
    if (address >= module.begin && address < module.end) return &module;
  }
  return nullptr;
}

}  // namespace tracer::ompd
