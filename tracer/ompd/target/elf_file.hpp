// SPDX-License-Identifier: BSD-3-Clause
// An ELF file's symbols and identity, through libelf.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tracer::ompd {

struct Symbol {
  std::uint64_t value = 0;  ///< ELF address; for thread-local ones the offset in the module's TLS block
  std::uint64_t size = 0;
  bool thread_local_storage = false;
};

/// Read completely when opened: no file stays open.
class ElfFile {
 public:
  /// nullptr, with the reason in `why`, when it is not a readable ELF file. Only regular files are opened.
  static std::unique_ptr<ElfFile> open(const std::string& path, std::string& why);

  /// Of .symtab, .dynsym, and the separate debug file's .symtab when .symtab is stripped.
  std::optional<Symbol> find(std::string_view name) const;
  /// The name of the symbol whose bytes hold ELF address `value`, "" none.
  std::string containing(std::uint64_t value) const;
  std::uint16_t machine() const noexcept { return machine_; }
  bool is_64_bit() const noexcept { return is_64_bit_; }
  const std::string& build_id() const noexcept { return build_id_; }  ///< hexadecimal, "" none
  /// ELF address of the page that holds file offset `offset`, if a PT_LOAD does.
  std::optional<std::uint64_t> address_of_offset(std::uint64_t offset) const;
  /// Of the build id's bytes in the mapped image, and how many; nullopt without a build id.
  std::optional<std::uint64_t> build_id_address() const noexcept { return build_id_address_; }

 private:
  struct Segment {
    std::uint64_t address, offset, size;
  };
  struct Reader;
  bool read(int fd, bool symbols_only, std::string& why);
  void read_debug_file(const std::string& path);

  std::unordered_map<std::string, Symbol> symbols_;
  std::vector<Segment> segments_;
  std::string build_id_, debug_link_;
  std::optional<std::uint64_t> build_id_address_;
  std::uint16_t machine_ = 0;
  bool is_64_bit_ = false, has_symtab_ = false;
};

/// This machine's e_machine.
std::uint16_t native_machine() noexcept;
/// "AArch64", "i386", "x86-64", or "machine 243".
std::string machine_name(std::uint16_t machine, bool is_64_bit);

}  // namespace tracer::ompd
