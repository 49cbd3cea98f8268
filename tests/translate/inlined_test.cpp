// SPDX-License-Identifier: BSD-3-Clause
// Functions that the compiler put into others, by this program's own debug information, and where that is.
#include "catch.hpp"

#include <link.h>
#include <unistd.h>

#include <climits>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tracer/base/libdw.hpp"
#include "tracer/translate/regions/debug_files.hpp"
#include "tracer/translate/regions/symbol_names.hpp"
#include "tracer/translate/regions/symbolize.hpp"

using namespace tracer;

namespace {

[[gnu::noinline]] std::uint64_t here() {
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}

[[gnu::always_inline]] inline std::uint64_t innermost() {
  const std::uint64_t at = here();
  asm volatile("" ::: "memory");  // or the call would be the function's last act, and a jump
  return at;
}
constexpr unsigned line_in_innermost = __LINE__ - 4;

[[gnu::always_inline]] inline std::uint64_t middle() {
  return innermost();
}
constexpr unsigned line_in_middle = __LINE__ - 2;

[[gnu::noinline]] std::uint64_t outer() {
  const std::uint64_t at = middle();
  asm volatile("" ::: "memory");
  return at;
}
constexpr unsigned line_in_outer = __LINE__ - 4;

[[gnu::noinline]] std::uint64_t alone() {
  const std::uint64_t at = here();
  asm volatile("" ::: "memory");
  return at;
}

Module this_program() {
  Module module;
  char path[PATH_MAX];
  if (realpath("/proc/self/exe", path) != nullptr) module.path = path;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {  // the program is the first
        static_cast<Module*>(to)->bias = info->dlpi_addr;
        return 1;
      },
      &module);
  module.begin = 0;
  module.end = ~std::uint64_t{0};
  return module;
}

/// A file at its own addresses; only where libdw is.
struct FileModule {
  explicit FileModule(const std::string& path) {
    callbacks.find_debuginfo = translate::find_debuginfo;
    callbacks.section_address = libdw()->dwfl_offline_section_address;
    session.reset(libdw()->dwfl_begin(&callbacks));
    module = libdw()->dwfl_report_elf(session.get(), "file", path.c_str(), -1, 0, true);
    libdw()->dwfl_report_end(session.get(), nullptr, nullptr);
  }
  Dwfl_Callbacks callbacks{};
  std::unique_ptr<Dwfl, void (*)(Dwfl*)> session{nullptr, [](Dwfl* one) { libdw()->dwfl_end(one); }};
  Dwfl_Module* module = nullptr;
};

}  // namespace

TEST_CASE("an address in inlined functions has all of them, each with the line of its call") {
  if (libdw() == nullptr) SKIP_TEST("inlined functions: no libdw here");
  const auto look_up = translate::make_symbolizer({this_program()}, true);
  const auto positions = look_up({outer(), alone()});
  const auto& frames = positions[0].frames;
  REQUIRE(frames.size() == 3);
  const std::pair<const char*, unsigned> expected[] = {
      {"outer", line_in_outer}, {"middle", line_in_middle}, {"innermost", line_in_innermost}};
  for (std::size_t i = 0; i < frames.size(); ++i) {
    CHECK_THAT(frames[i].function, ContainsSubstring(expected[i].first));
    CHECK_THAT(frames[i].file, Catch::Matchers::EndsWith("inlined_test.cpp"));
    CHECK(frames[i].line == expected[i].second);
  }
  CHECK(positions[0].line == line_in_innermost);
  CHECK(positions[1].frames.empty());
}

TEST_CASE("inlined functions are told to those who ask for them only") {
  const auto look_up = translate::make_symbolizer({this_program()});
  CHECK(look_up({outer()})[0].frames.empty());
}

TEST_CASE("where modules overlap an address is in the first of them") {
  const auto look_up = translate::make_symbolizer(
      {{"/nowhere/b", "", 0x3000, 0x5000, 0, 0, 0}, {"/nowhere/a", "", 0x1000, 0x4000, 0, 0, 0}});
  std::vector<std::string> modules;
  for (const auto& position : look_up({0x1001, 0x3000, 0x3001, 0x4001, 0x5001, 0x800}))  // return addresses
    modules.push_back(position.module);
  CHECK(modules == std::vector<std::string>{"/nowhere/a", "/nowhere/a", "/nowhere/b", "/nowhere/b", "", ""});
}

TEST_CASE("of a file that is not there, or another one by its build id, it is said that it is not read") {
  if (libdw() == nullptr) SKIP_TEST("files that are not read: no libdw here");
  std::map<std::string, std::string> said;
  Module gone{"/nowhere/a", "", 0x1000, 0x4000, 0, 0, 0}, idle{"/nowhere/b", "", 0x5000, 0x6000, 0, 0, 0},
      program = this_program();
  program.begin = 0x10000;
  program.build_id = "0102";
  const auto not_read = [&](const std::string& path, const std::string& why) { said[path] = why; };
  const auto here_and_there = translate::make_symbolizer({gone, idle, program}, false, not_read);
  CHECK(here_and_there({0x2000, outer()})[1].line == 0);
  CHECK(said == std::map<std::string, std::string>{{gone.path, "not there any more"},
                                                   {program.path, "another file than the one that ran"}});
  said.clear();
  CHECK(translate::make_symbolizer({this_program()}, false, not_read)({outer()})[0].line != 0);
  CHECK(said.empty());
}

TEST_CASE("the file that dwz makes for several others is not looked for by the build id of one of them") {
  if (libdw() == nullptr) SKIP_TEST("dwz's common file: no libdw here");
  std::string library;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        const std::string path = info->dlpi_name;
        if (path.find("/libc.so") == std::string::npos) return 0;
        *static_cast<std::string*>(to) = path;
        return 1;
      },
      &library);
  const FileModule file{library};
  const auto finds = [&](const char* link) {
    char* name = nullptr;
    const int fd = translate::find_debuginfo(file.module, nullptr, "libc", 0, library.c_str(), link, 0, &name);
    std::free(name);
    if (fd >= 0) close(fd);
    return fd >= 0;
  };
  if (file.module == nullptr || !finds(nullptr)) SKIP_TEST("dwz's common file: the C library has no debug file here");
  CHECK(!finds("../.dwz/common"));
  CHECK(!finds("common"));
}

TEST_CASE("the name of a symbol is the one that libdwfl finds for the address, whatever was looked up before") {
  const LibDw* const dw = libdw();
  if (dw == nullptr) SKIP_TEST("names of symbols: no libdw here");
  const Module program = this_program();
  const FileModule file{program.path};
  REQUIRE(file.module != nullptr);
  Dwarf_Addr begin = 0, end = 0;
  dw->dwfl_module_info(file.module, nullptr, &begin, &end, nullptr, nullptr, nullptr, nullptr);
  REQUIRE(begin < end);
  std::vector<Dwarf_Addr> addresses;
  for (Dwarf_Addr i = 0; i < 200; ++i) addresses.push_back(begin + (end - begin) / 200 * i);  // all sections
  const Dwarf_Addr function = reinterpret_cast<Dwarf_Addr>(&outer) - program.bias;
  for (Dwarf_Addr i = 0; i < 100; ++i) addresses.push_back(function + 60 - i);
  translate::SymbolNames names{*dw};
  std::size_t others = 0;
  for (const Dwarf_Addr address : addresses)
    if (names.at(file.module, address) != dw->dwfl_module_addrname(file.module, address)) ++others;
  CHECK(others == 0);
  CHECK_THAT(std::string{names.at(file.module, function)}, ContainsSubstring("outer"));
}
