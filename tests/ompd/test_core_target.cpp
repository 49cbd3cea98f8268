// SPDX-License-Identifier: BSD-3-Clause
// Core files made by hand: right, cut off anywhere, and with every field wrong.
#include "tracer/ompd/core_target.hpp"

#include <elf.h>
#include <sys/procfs.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <random>

#include "catch.hpp"
#include "tracer/ompd/elf_file.hpp"
#include "tracer/ompd/refusal.hpp"

using namespace tracer::ompd;

namespace {

constexpr std::uint64_t memory_at = 0x10000;

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_note(std::string& bytes, std::uint32_t type, const std::string& content) {
  append(bytes, Elf64_Nhdr{5, static_cast<Elf64_Word>(content.size()), type});
  bytes.append("CORE\0\0\0\0", 8);
  bytes += content;
  bytes.resize((bytes.size() + 3) / 4 * 4);
}

/// Two threads, 10 and 11, a mapped file that does not exist, and "hello" at memory_at.
std::string core_file() {
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
  for (const std::uint64_t word : {std::uint64_t{1}, std::uint64_t{4096}, std::uint64_t{0x20000}, std::uint64_t{0x21000}, std::uint64_t{2}}) append(files, word);
  files += std::string{"/nowhere/libomp.so"} + '\0';
  append_note(notes, NT_FILE, files);
  const std::string memory = std::string{"hello"} + '\0' + std::string(10, 'x');
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_CORE;
  header.e_machine = native_machine();
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

struct TemporaryFile {
  std::string path = "/tmp/tracer-core-test-" + std::to_string(getpid());
  ~TemporaryFile() { unlink(path.c_str()); }
  const std::string& with(const std::string& bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    return path;
  }
};

/// Uses all of it; CannotLook is the only way to say no.
bool survives(const std::string& path) {
  try {
    const CoreTarget core{path};
    char buffer[256];
    for (const std::uint64_t address : {memory_at, std::uint64_t{0}, ~std::uint64_t{0} - 3, std::uint64_t{0x20010}}) core.read(address, buffer, sizeof buffer);
    for (const std::uint64_t id : core.threads()) core.registers(id);
    return core.text(memory_at).size() <= 4096;
  } catch (const CannotLook&) {
    return true;
  }
}

}  // namespace

TEST_CASE("a core file gives threads, memory, mappings and the signal") {
  const TemporaryFile file;
  const CoreTarget core{file.with(core_file())};
  CHECK(core.threads() == std::vector<std::uint64_t>{10, 11});
  CHECK(core.signal() == 6);
  CHECK(core.text(memory_at) == "hello");
  REQUIRE(core.mappings().size() == 1);
  CHECK(core.mappings()[0].path == "/nowhere/libomp.so");
  CHECK(core.mappings()[0].file_offset == 2 * 4096);
  CHECK_FALSE(core.truncated());
}

TEST_CASE("memory that is in neither the core nor a file is not there") {
  const TemporaryFile file;
  CoreTarget core{file.with(core_file())};
  char buffer[64];
  CHECK(core.read(memory_at + 10, buffer, sizeof buffer) == 6);
  CHECK(core.read(0x20000, buffer, sizeof buffer) == 0);
  CHECK(core.read(~std::uint64_t{0}, buffer, sizeof buffer) == 0);
  CHECK_FALSE(core.write(memory_at, "x", 1));
}

TEST_CASE("a core file may end anywhere") {
  const TemporaryFile file;
  const std::string bytes = core_file();
  for (std::size_t size = 0; size < bytes.size(); ++size) REQUIRE(survives(file.with(bytes.substr(0, size))));
}

TEST_CASE("a core file may say anything") {
  const TemporaryFile file;
  const std::string bytes = core_file();
  std::mt19937_64 random{7};
  const char* knob = std::getenv("TRACER_STRESS");
  const int rounds = 4'000 * (knob == nullptr ? 1 : std::max(1, std::atoi(knob)));
  for (int i = 0; i < rounds; ++i) {
    std::string changed = bytes;
    for (auto count = random() % 4 + 1; count > 0; --count) {
      const std::uint64_t values[] = {random(), random() % 256, ~std::uint64_t{0}, std::uint64_t{1} << (random() % 64)};
      const std::uint64_t value = values[random() % 4];
      const std::size_t size = std::size_t{1} << (random() % 4), at = 7 + random() % (changed.size() - 16);
      std::memcpy(changed.data() + at, &value, size);
    }
    REQUIRE(survives(file.with(changed)));
  }
}

TEST_CASE("another machine's core file is refused as that") {
  const TemporaryFile file;
  std::string bytes = core_file();
  bytes[18] = static_cast<char>(EM_RISCV);
  try {
    CoreTarget core{file.with(bytes)};
    FAIL("accepted");
  } catch (const CannotLook& error) {
    CHECK(error.why() == Refusal::other_architecture);
    CHECK(std::string{error.what()}.find("RISC-V") != std::string::npos);
  }
}
