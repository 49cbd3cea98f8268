// SPDX-License-Identifier: BSD-3-Clause
// Lists the mapped objects by the dynamic loader.
#include "tracer/session/modules.hpp"

#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <sstream>
#include <vector>

#include "tracer/base/clock.hpp"
#include "tracer/base/files/file_fact.hpp"
#include "tracer/base/loader_gate.hpp"
#include "tracer/base/text.hpp"

namespace tracer {
namespace {

/// The GNU build id out of a mapped PT_NOTE segment.
std::string build_id_of(const char* notes, std::size_t size) {
  constexpr std::size_t most = 64;
  const auto align = [](std::size_t n) { return (n + 3) & ~std::size_t{3}; };
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof note);
    const std::size_t name = at + sizeof note, description = name + align(note.n_namesz);
    if (description + note.n_descsz > size) return {};
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0) {
      return hexadecimal(
          {reinterpret_cast<const unsigned char*>(notes + description), std::min<std::size_t>(note.n_descsz, most)});
    }
    at = description + align(note.n_descsz);
  }
  return {};
}

/// What is mapped, and the loader's version of it.
struct Snapshot {
  std::vector<Module> modules;
  std::uint64_t version = 0;
  bool is_whole = true;
};

std::uint64_t version_of(const dl_phdr_info& info) {
  return info.dlpi_adds + info.dlpi_subs;
}

/// The file that is mapped at an address.
struct MappedFile {
  std::uint64_t inode = 0;  ///< 0 unknown
  std::string path;         ///< "" unknown
};

MappedFile mapped_file(std::uint64_t address) {
  std::istringstream maps{read_small_file("/proc/self/maps", 16u << 20)};
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0, inode = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx %*s %*s %*s %llu", &begin, &end, &inode) != 3 || address < begin ||
        address >= end)
      continue;
    const std::size_t path = line.find('/');
    return {inode, path == std::string::npos ? std::string{} : line.substr(path)};
  }
  return {};
}

/// Of the program that is mapped at an address. If the loader was started with it as its argument, the executable is
/// the loader; the kernel has loaded no other one then, as for a program that is linked statically (AT_BASE).
std::string program_file(std::uint64_t address) {
  if (::getauxval(AT_BASE) == 0)
    if (std::string path = mapped_file(address).path; !path.empty()) return path;
  char path[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : std::string{};
}

void add_module(const dl_phdr_info* info, Snapshot& snapshot) {
  Module module;
  module.bias = info->dlpi_addr;
  module.begin = ~std::uint64_t{0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    const std::uint64_t address = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD) {
      module.begin = std::min(module.begin, address);
      module.end = std::max(module.end, address + header.p_memsz);
    } else if (header.p_type == PT_NOTE && module.build_id.empty()) {
      module.build_id = build_id_of(reinterpret_cast<const char*>(address), header.p_memsz);
    }
  }
  if (module.end == 0) return;
  module.path = info->dlpi_name ? info->dlpi_name : "";
  if (module.path.empty() && snapshot.modules.empty()) module.path = program_file(module.begin);
  if (!module.path.empty() && module.path[0] != '/' && module.path.find('/') != std::string::npos) {
    char resolved[PATH_MAX];
    if (::realpath(module.path.c_str(), resolved)) module.path = resolved;
  }
  snapshot.modules.push_back(std::move(module));
}

int take_module(dl_phdr_info* info, std::size_t, void* to) noexcept {
  auto& snapshot = *static_cast<Snapshot*>(to);
  snapshot.version = version_of(*info);
  try {
    add_module(info, snapshot);
    return 0;
  } catch (...) {
    snapshot.is_whole = false;
    return 1;
  }
}

/// Throws std::bad_alloc where there is no memory for it.
Snapshot take_snapshot() {
  Snapshot snapshot;
  LoaderGate::iterate(take_module, &snapshot);  // not dladdr(), whose lock is held while libraries are opened
  if (!snapshot.is_whole) throw std::bad_alloc{};
  return snapshot;
}

int read_version(dl_phdr_info* info, std::size_t, void* to) noexcept {
  *static_cast<std::uint64_t*>(to) = version_of(*info);
  return 1;
}

/// Distinguishes a file without a build id from one that is built in its place while it runs: by its size and time of
/// change, as a fact that convert.cpp reads.
void identify_file(const Module& module, raw::JournalWriter& journal) {
  struct stat info {};
  if (!module.build_id.empty() || module.path.empty() || module.path[0] != '/') return;
  if (::stat(module.path.c_str(), &info) != 0) return;
  const std::uint64_t inode = mapped_file(module.begin).inode;
  const bool is_it = inode == 0 || inode == info.st_ino;
  const auto size = is_it ? static_cast<std::uint64_t>(info.st_size) : 0;
  journal.fact(file_fact_name(module.begin), file_fact(size, is_it ? changed_ns(info) : 0, module.path));
}

bool is_another(const Module& a, const Module& b) {
  return a.path != b.path || a.build_id != b.build_id || a.end != b.end;
}

}  // namespace

constinit std::atomic<std::uint64_t> ProgramCode::begin_{0}, ProgramCode::size_{0};
constinit std::atomic<std::uint64_t> LoaderWatch::seen_{0};
constinit std::atomic<std::int64_t> LoaderWatch::pace_{0};

std::uint64_t LoaderWatch::look() noexcept {
  const Ticks time = now();  // before: what is seen held from here on
  std::uint64_t version = unknown;
  LoaderGate::try_iterate(read_version, &version);
  if (version == unknown) return unknown;
  const std::uint64_t found = (time & ~version_bits) | (version & version_bits);
  // Never an older look over a newer one.
  std::uint64_t seen = seen_.load(std::memory_order_relaxed);
  while (static_cast<std::int64_t>(found - seen) > 0 &&
         !seen_.compare_exchange_weak(seen, found, std::memory_order_relaxed)) {
  }
  return version;
}

std::string code_of_no_module() {
  constexpr std::size_t longest = 4000;
  const Snapshot loaded = take_snapshot();
  std::string ranges;
  std::istringstream maps{read_small_file("/proc/self/maps", 16u << 20)};
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0;
    char rights[8] = {};
    if (std::sscanf(line.c_str(), "%llx-%llx %7s", &begin, &end, rights) != 3 || rights[2] != 'x') continue;
    const auto holds = [begin](const Module& module) { return begin >= module.begin && begin < module.end; };
    if (std::any_of(loaded.modules.begin(), loaded.modules.end(), holds)) continue;
    if (ranges.size() > longest) return ranges + "...";
    char text[64];
    std::snprintf(text, sizeof text, "%s%llx-%llx", ranges.empty() ? "" : ",", begin, end);
    ranges += text;
  }
  return ranges;
}

void ModuleTracker::update(raw::JournalWriter& journal, Ticks when) {
  const std::lock_guard lock(mutex_);
  if (LoaderWatch::look() == version_ && !first_) return;
  Snapshot now = take_snapshot();
  if (first_ && !now.modules.empty()) {
    ProgramCode::begin_ = now.modules.front().begin;
    ProgramCode::size_ = now.modules.front().end - now.modules.front().begin;
  }
  std::map<std::uint64_t, Module> seen;
  for (auto& module : now.modules) seen.emplace(module.begin, std::move(module));
  // known_ follows the journal entry by entry: what throws is tried again, and what is written is not.
  for (auto known = known_.begin(); known != known_.end();) {
    const auto found = seen.find(known->first);
    const bool is_gone = found == seen.end() || is_another(found->second, known->second);
    if (is_gone) journal.module_unloaded(known->first, when);
    known = is_gone ? known_.erase(known) : std::next(known);
  }
  while (!seen.empty()) {
    auto one = seen.extract(seen.begin());
    if (known_.contains(one.key())) continue;
    Module& module = one.mapped();
    module.loaded = first_ ? 0 : when;
    identify_file(module, journal);
    journal.module(module);
    known_.insert(std::move(one));
  }
  version_ = now.version;  // now that the journal has them
  first_ = false;
}

CodeRange ModuleTracker::known_range(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  auto after = known_.upper_bound(address);
  if (after == known_.begin()) return {};
  const Module& module = std::prev(after)->second;
  if (address >= module.end) return {};
  return {module.begin, module.end, version_};
}

CodeRange ModuleTracker::range_of(std::uint64_t address, raw::JournalWriter& journal, Ticks when) {
  update(journal, when);  // what was there before may have been replaced
  return known_range(address);
}

}  // namespace tracer
