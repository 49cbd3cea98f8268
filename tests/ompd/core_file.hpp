// SPDX-License-Identifier: BSD-3-Clause
// A small core file, made by hand.
#pragma once

#include <elf.h>
#include <sys/procfs.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "tracer/ompd/target/elf_file.hpp"

namespace tracer::test {

inline constexpr std::uint64_t memory_at = 0x10000;

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline void append_note(std::string& bytes, std::uint32_t type, const std::string& content) {
  append(bytes, Elf64_Nhdr{5, static_cast<Elf64_Word>(content.size()), type});
  bytes.append("CORE\0\0\0\0", 8);
  bytes += content;
  bytes.resize((bytes.size() + 3) / 4 * 4);
}

/// Two threads, 10 and 11, a mapped file that does not exist, and "hello" at memory_at.
inline std::string core_file() {
  std::string notes;
  for (const int id : {10, 11}) {
    elf_prstatus status{};
    status.pr_pid = id;
    status.pr_cursig = 6;
    std::string content;
    append(content, status);
    append_note(notes, NT_PRSTATUS, content);
  }
  std::string files;
  for (const std::uint64_t word :
       {std::uint64_t{1}, std::uint64_t{4096}, std::uint64_t{0x20000}, std::uint64_t{0x21000}, std::uint64_t{2}})
    append(files, word);
  files += std::string{"/nowhere/libomp.so"} + '\0';
  append_note(notes, NT_FILE, files);
  const std::string memory = std::string{"hello"} + '\0' + std::string(10, 'x');
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_CORE;
  header.e_machine = ompd::native_machine();
  header.e_phoff = sizeof header;
  header.e_phnum = 2;
  header.e_phentsize = sizeof(Elf64_Phdr);
  const std::uint64_t notes_at = sizeof header + 2 * sizeof(Elf64_Phdr), bytes_at = notes_at + notes.size();
  std::string bytes;
  append(bytes, header);
  Elf64_Phdr note{};
  note.p_type = PT_NOTE;
  note.p_offset = notes_at;
  note.p_filesz = notes.size();
  append(bytes, note);
  Elf64_Phdr load{};
  load.p_type = PT_LOAD;
  load.p_offset = bytes_at;
  load.p_vaddr = memory_at;
  load.p_filesz = memory.size();
  load.p_memsz = 4096;
  append(bytes, load);
  return bytes + notes + memory;
}

}  // namespace tracer::test
