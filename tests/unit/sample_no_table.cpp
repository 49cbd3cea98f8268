// SPDX-License-Identifier: BSD-3-Clause
// Code that has no unwind table: the way out of it, and its name.
#include <elf.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "catch.hpp"
#include "sample_walk.hpp"
#include "tracer/sample/frame_tables.hpp"
#include "tracer/sample/jit_names.hpp"
#include "tracer/sample/no_table.hpp"
#include "tracer/sample/stack_walk.hpp"

using namespace tracer::sample;

#if defined(__x86_64__)
namespace {

std::vector<std::uint64_t> walked;

/// What a handler does, from here on outwards.
__attribute__((noinline)) long walk() {
  ucontext_t context;
  ::getcontext(&context);
  CodeWithoutTable without_table;
  walked = frames_around(
      context, [&](FrameState& frame, const StackBounds& above) { return without_table.leave(frame, above); });
  return static_cast<long>(walked.size());
}

using Code = long (*)(long stale, long, long, long (*)());

/// Calls the bytes with `stale`, and returns where they return to.
__attribute__((noinline)) std::uint64_t call(const std::vector<std::uint8_t>& bytes, std::uint64_t stale) {
  void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  std::memcpy(memory, bytes.data(), bytes.size());
  Code code = nullptr;
  std::memcpy(&code, &memory, sizeof code);
  [[maybe_unused]] const volatile long result = code(static_cast<long>(stale), 0, 0, walk);
  ::munmap(memory, 4096);
  return reinterpret_cast<std::uint64_t>(memory);
}

/// Whether the walk came from `code` into call() at once, and on to the program's outermost function.
bool leads_to_caller(std::uint64_t code) {
  for (std::size_t i = 0; i + 3 < walked.size(); ++i) {
    if (walked[i] < code || walked[i] >= code + 4096) continue;
    const FrameEntry next = find_frame_entry(walked[i + 1]),
                     mine = find_frame_entry(reinterpret_cast<std::uint64_t>(call));
    return next.function == mine.function;
  }
  return false;
}

}  // namespace

TEST_CASE("a stack goes on behind code without a table, whatever lies on the stack") {
  if (!can_find_tables()) return;
  // push %rbx; sub $0x40,%rsp; mov %rdi,0x8(%rsp); mov %rdi,0x18(%rsp); call *%rcx; add $0x40,%rsp; pop %rbx; ret
  const std::vector<std::uint8_t> frameless{0x53, 0x48, 0x83, 0xec, 0x40, 0x48, 0x89, 0x7c, 0x24, 0x08, 0x48, 0x89,
                                            0x7c, 0x24, 0x18, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x40, 0x5b, 0xc3};
  // push %rbp; mov %rsp,%rbp; sub $0x40,%rsp; mov %rdi,0x8(%rsp); call *%rcx; leave; ret
  const std::vector<std::uint8_t> framed{0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x40, 0x48,
                                         0x89, 0x7c, 0x24, 0x08, 0xff, 0xd1, 0xc9, 0xc3};
  std::uint64_t code = call(frameless, 0);
  if (code == 0) return;  // where no memory may be written and run
  CHECK(leads_to_caller(code));
  REQUIRE(walked.size() > 4);
  // Return addresses of calls that are over, and code that nobody returns to.
  for (const std::uint64_t stale : {walked[1], walked[2], walked[3], reinterpret_cast<std::uint64_t>(walk), code}) {
    code = call(frameless, stale);
    CHECK(leads_to_caller(code));
    code = call(framed, stale);
    CHECK(leads_to_caller(code));
  }
}
#endif

// As a compiler at run time has it.
namespace {
struct Entry {
  Entry* next;
  Entry* previous;
  const char* object;
  std::uint64_t size;
};
struct Descriptor {
  std::uint32_t version, action;
  Entry *relevant, *first;
};
}  // namespace
extern "C" {
[[gnu::visibility("default")]] Descriptor __jit_debug_descriptor{1, 0, nullptr, nullptr};
}

namespace {

/// An object to be linked, whose section is said to lie at `place`, with a function of each name, 0x20 bytes apart.
std::string object_with(std::uint64_t place, const std::vector<std::string>& functions) {
  std::string names(1, '\0');
  std::vector<Elf64_Sym> symbols(1);
  for (const std::string& name : functions) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = 1;
    symbol.st_value = 0x20 * (symbols.size() - 1);
    symbol.st_size = 0x10;
    symbols.push_back(symbol);
    names += name + '\0';
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_type = ET_REL;
  header.e_shoff = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  Elf64_Shdr sections[4]{};
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_addr = place;
  sections[2].sh_type = SHT_SYMTAB;
  sections[2].sh_link = 3;
  sections[2].sh_offset = sizeof header + sizeof sections;
  sections[2].sh_size = symbols.size() * sizeof(Elf64_Sym);
  sections[3].sh_type = SHT_STRTAB;
  sections[3].sh_offset = sections[2].sh_offset + sections[2].sh_size;
  sections[3].sh_size = names.size();
  std::string object(reinterpret_cast<const char*>(&header), sizeof header);
  object.append(reinterpret_cast<const char*>(sections), sizeof sections);
  object.append(reinterpret_cast<const char*>(symbols.data()), sections[2].sh_size);
  return object + names;
}

/// At the list's front, as LLVM puts it.
void show(Entry& entry, const std::string& object) {
  entry = {__jit_debug_descriptor.first, nullptr, object.data(), object.size()};
  __jit_debug_descriptor.first = &entry;
}

}  // namespace

TEST_CASE("code made at run time has the names that its maker shows to debuggers") {
  Entry first{}, second{}, damaged{}, gone{};
  const std::string one = object_with(0x10000, {"f", "_ZN8__main__6kernelB2v1Ed"}), two = object_with(0x20000, {"g\n"});
  JitNames names;
  show(first, one);
  CHECK(names.take() == "10000 10 f\n10020 10 _ZN8__main__6kernelB2v1Ed\n");
  CHECK(names.take().empty());
  show(second, two);
  CHECK(names.take() == "20000 10 g?\n");
  const std::string cut = one.substr(0, 100);
  show(damaged, cut);
  gone = {__jit_debug_descriptor.first, nullptr, reinterpret_cast<const char*>(8), 1000};
  __jit_debug_descriptor.first = &gone;
  CHECK(names.take().empty());
  Entry beyond{reinterpret_cast<Entry*>(16), nullptr, nullptr, 0};
  __jit_debug_descriptor.first = &beyond;
  CHECK(names.take().empty());
  __jit_debug_descriptor.first = nullptr;
}
