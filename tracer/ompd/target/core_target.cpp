// SPDX-License-Identifier: BSD-3-Clause
// Reads ELF core files: PT_LOAD for memory, NT_PRSTATUS for threads, NT_FILE for mappings, NT_AUXV.
#include "tracer/ompd/target/core_target.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "tracer/base/files/file.hpp"
#include "tracer/ompd/target/elf_file.hpp"
#include "tracer/ompd/target/refusal.hpp"
#include "tracer/ompd/target/registers.hpp"

namespace tracer::ompd {
namespace {

/// Bounds against damaged headers; a process has at most 65530 mappings by default, 2^22 threads.
constexpr std::size_t max_mappings = 1'000'000, max_threads = 100'000;

std::span<const unsigned char> map_file(const std::string& path, int& error, bool* is_mine = nullptr) {
  const UniqueFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status {};
  error = fd && fstat(fd.get(), &status) == 0 ? 0 : errno;
  if (error != 0) return {};
  if (is_mine) *is_mine = status.st_uid == geteuid() && geteuid() != 0;
  if (!S_ISREG(status.st_mode)) {
    error = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    return {};
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {};
  void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (memory == MAP_FAILED) {
    error = errno;
    return {};
  }
  return {static_cast<const unsigned char*>(memory), size};
}

void unmap(std::span<const unsigned char> bytes) noexcept {
  if (!bytes.empty()) munmap(const_cast<unsigned char*>(bytes.data()), bytes.size());
}

/// The part of `bytes` that `offset` and `size` name, as far as it exists.
std::span<const unsigned char> part(std::span<const unsigned char> bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset >= bytes.size()) return {};
  return bytes.subspan(offset, std::min<std::uint64_t>(size, bytes.size() - offset));
}

template <class T>
bool copy_at(std::span<const unsigned char> bytes, std::uint64_t offset, T& out) {
  const auto found = part(bytes, offset, sizeof out);
  if (found.size() != sizeof out) return false;
  std::memcpy(&out, found.data(), sizeof out);
  return true;
}

}  // namespace

/// A mapped file's content, for memory that the kernel left out of the core because the file has it.
class CoreTarget::FileBytes {
 public:
  explicit FileBytes(const std::string& path) {
    int error = 0;
    bytes_ = map_file(path, error);
  }
  ~FileBytes() { unmap(bytes_); }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  std::span<const unsigned char> bytes() const noexcept { return bytes_; }

 private:
  std::span<const unsigned char> bytes_;
};

CoreTarget::CoreTarget(const std::string& path) : path_(path) {
  int error = 0;
  bytes_ = map_file(path, error, &is_callers_);
  if (error != 0) throw CannotLook(Refusal::no_such_target, "cannot read " + path + ": " + std::strerror(error));
  try {
    read_segments();
  } catch (...) {
    unmap(bytes_);
    throw;
  }
}

CoreTarget::~CoreTarget() {
  unmap(bytes_);
}

void CoreTarget::read_segments() {
  Elf64_Ehdr header{};
  if (!copy_at(bytes_, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    throw CannotLook(Refusal::damaged, path_ + " is neither a core file nor a process id");
  const bool is_64_bit = header.e_ident[EI_CLASS] == ELFCLASS64;
  if (header.e_type != ET_CORE)
    throw CannotLook(Refusal::damaged, path_ + " is an ELF file, but no core file of a process");
  if (!is_64_bit || header.e_machine != native_machine()) {
    throw CannotLook(Refusal::other_architecture, path_ + " is of another architecture (" +
                                                      machine_name(header.e_machine, is_64_bit) +
                                                      "); this tracer reads " + machine_name(native_machine(), true) +
                                                      ": look at it on a machine of its kind");
  }
  std::uint64_t count = header.e_phnum;
  Elf64_Shdr first{};  // more than 65534 segments: the count is in the first section header
  if (count == PN_XNUM && copy_at(bytes_, header.e_shoff, first)) count = first.sh_info;
  const auto table = part(bytes_, header.e_phoff, std::uint64_t{sizeof(Elf64_Phdr)} * count);
  truncated_ = table.size() < sizeof(Elf64_Phdr) * count;
  std::vector<Elf64_Phdr> notes;
  for (std::size_t i = 0; (i + 1) * sizeof(Elf64_Phdr) <= table.size(); ++i) {
    Elf64_Phdr segment{};
    std::memcpy(&segment, table.data() + i * sizeof segment, sizeof segment);
    const auto in_file = part(bytes_, segment.p_offset, segment.p_filesz).size();
    if (segment.p_type == PT_NOTE) notes.push_back(segment);
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0 || segment.p_vaddr + segment.p_memsz < segment.p_vaddr)
      continue;
    truncated_ = truncated_ || in_file < segment.p_filesz;
    segments_.push_back({segment.p_vaddr, segment.p_vaddr + segment.p_memsz, segment.p_offset,
                         std::min<std::uint64_t>(in_file, segment.p_memsz)});
  }
  std::sort(segments_.begin(), segments_.end(), [](const Segment& a, const Segment& b) { return a.begin < b.begin; });
  for (const auto& note : notes) read_notes(note.p_offset, note.p_filesz, note.p_align);
  if (threads_.empty()) throw CannotLook(Refusal::damaged, path_ + " names no threads: it is truncated or damaged");
}

void CoreTarget::read_notes(std::uint64_t offset, std::uint64_t size, std::uint64_t) {
  auto rest = part(bytes_, offset, size);
  const auto padded = [](std::uint64_t length) { return (length + 3) & ~std::uint64_t{3}; };
  Elf64_Nhdr note{};
  while (copy_at(rest, 0, note)) {
    const std::uint64_t name_at = sizeof note, bytes_at = name_at + padded(note.n_namesz);
    const auto name = part(rest, name_at, note.n_namesz);
    const auto bytes = part(rest, bytes_at, note.n_descsz);
    if (bytes.size() < note.n_descsz) {
      truncated_ = true;
      return;
    }
    const std::string_view text{reinterpret_cast<const char*>(name.data()), name.size()};
    read_note(note.n_type, text.substr(0, text.find('\0')), bytes);
    rest = part(rest, bytes_at + padded(note.n_descsz), rest.size());
  }
}

void CoreTarget::read_note(std::uint32_t type, std::string_view name, std::span<const unsigned char> bytes) {
  if (name != "CORE" && name != "LINUX") return;
  if (type == NT_PRSTATUS) {
    elf_prstatus status{};
    if (!copy_at(bytes, 0, status) || threads_.size() >= max_threads) return;
    const auto thread = static_cast<std::uint64_t>(static_cast<std::uint32_t>(status.pr_pid));
    if (!registers_.try_emplace(thread, registers_from(&status.pr_reg, sizeof status.pr_reg)).second) return;
    threads_.push_back(thread);
    if (threads_.size() == 1) signal_ = status.pr_cursig;
  } else if (type == NT_ARM_TLS && !threads_.empty()) {  // follows its thread's NT_PRSTATUS
    copy_at(bytes, 0, registers_[threads_.back()].thread_pointer);
  } else if (type == NT_PRPSINFO) {
    elf_prpsinfo info{};
    if (copy_at(bytes, 0, info)) process_id_ = static_cast<std::uint64_t>(static_cast<std::uint32_t>(info.pr_pid));
  } else if (type == NT_AUXV) {
    set_auxiliary(bytes);
  } else if (type == NT_FILE) {
    read_file_note(bytes);
  }
}

void CoreTarget::read_file_note(std::span<const unsigned char> bytes) {
  std::uint64_t count = 0, page = 0;
  if (!copy_at(bytes, 0, count) || !copy_at(bytes, 8, page) || count > max_mappings || count > bytes.size() / 24)
    return;
  const auto names = part(bytes, 16 + 24 * count, bytes.size());
  std::size_t name_at = 0;
  for (std::uint64_t i = 0; i < count && name_at < names.size(); ++i) {
    std::uint64_t row[3];
    if (!copy_at(bytes, 16 + 24 * i, row)) return;
    const auto* name = reinterpret_cast<const char*>(names.data()) + name_at;
    const std::size_t length = strnlen(name, names.size() - name_at);
    if (row[0] < row[1]) mappings_.push_back({row[0], row[1], row[2] * page, std::string{name, length}});
    name_at += length + 1;
  }
  if (const auto entry = auxiliary(AT_ENTRY)) {
    for (const Mapping& mapping : mappings_) {
      if (*entry >= mapping.begin && *entry < mapping.end) executable_ = mapping.path;
    }
  }
  if (executable_.empty() && !mappings_.empty()) executable_ = mappings_.front().path;
}

std::size_t CoreTarget::read(std::uint64_t address, void* buffer, std::size_t count) const noexcept {
  auto* out = static_cast<unsigned char*>(buffer);
  std::size_t done = 0;
  while (done < count) {
    const std::uint64_t at = address + done;
    auto segment = std::upper_bound(segments_.begin(), segments_.end(), at,
                                    [](std::uint64_t value, const Segment& s) { return value < s.begin; });
    std::size_t got = 0;
    if (segment != segments_.begin()) {
      --segment;
      const std::uint64_t inside = at - segment->begin;
      if (at < segment->end && inside < segment->in_file) {
        got = std::min<std::uint64_t>(count - done, segment->in_file - inside);
        std::memcpy(out + done, bytes_.data() + segment->offset + inside, got);
      }
    }
    if (got == 0) got = read_from_file(at, out + done, count - done);
    if (got == 0) break;
    done += got;
  }
  return done;
}

std::size_t CoreTarget::read_from_file(std::uint64_t address, unsigned char* out, std::size_t count) const noexcept {
  try {
    for (const Mapping& mapping : mappings_) {
      if (address < mapping.begin || address >= mapping.end || mapping.path.empty() || mapping.path[0] != '/') continue;
      auto& file = files_[mapping.path];
      if (file == nullptr) file = std::make_unique<FileBytes>(mapping.path);
      const std::uint64_t inside = address - mapping.begin;
      const auto found =
          part(file->bytes(), mapping.file_offset + inside, std::min<std::uint64_t>(count, mapping.end - address));
      if (found.empty()) return 0;
      std::memcpy(out, found.data(), found.size());
      return found.size();
    }
  } catch (...) {  // no memory: as if it were not there
  }
  return 0;
}

std::optional<Registers> CoreTarget::registers(std::uint64_t thread) const {
  const auto found = registers_.find(thread);
  if (found == registers_.end()) return std::nullopt;
  return found->second;
}

}  // namespace tracer::ompd
