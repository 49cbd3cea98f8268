// SPDX-License-Identifier: BSD-3-Clause
// Maps of code that was made at run time: what their lines mean, and whose an address is.
#include <sys/stat.h>
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tests/support/scratch.hpp"
#include "tracer/convert/code_names.hpp"
#include "tracer/error.hpp"

using namespace tracer;

namespace {

CodeNames names_of(const test::Scratch& scratch, const std::string& text) {
  std::ofstream(scratch / "code-map", std::ios::binary) << text;
  return CodeNames{scratch / "code-map"};
}

}  // namespace

TEST_CASE("names of interpreters' functions have their files and lines where the interpreter writes them") {
  const CodeName python = parse_code_name("py::KMeans.fit:/usr/lib/python3/dist-packages/sklearn/cluster/_kmeans.py");
  CHECK(python.function == "KMeans.fit");
  CHECK(python.file == "/usr/lib/python3/dist-packages/sklearn/cluster/_kmeans.py");
  CHECK(python.line == 0);
  CHECK(python.is_python);
  CHECK(parse_code_name("py::_find:<frozen importlib._bootstrap>").file.empty());
  CHECK(parse_code_name("py::f:/a:b/c.py").file == "/a:b/c.py");
  CHECK(parse_code_name("py::").function == "py::");
  const CodeName node = parse_code_name("JS:*get size /home/a b/x.js:3:13");
  CHECK(node.function == "get size");
  CHECK(node.file == "/home/a b/x.js");
  CHECK(node.line == 3);
  const CodeName script = parse_code_name("LazyCompile:~solve file:///x.js:3:13");
  CHECK(script.function == "solve");
  CHECK(script.file == "file:///x.js");
  CHECK(script.line == 3);
  CHECK(parse_code_name("JS:* /x.js:7:1").function == "(anonymous)");
  CHECK(parse_code_name("julia_solve_123").function == "julia_solve_123");
  CHECK(parse_code_name("Lcom/example/Main;::run").function == "Lcom/example/Main;::run");
  CHECK(parse_code_name("_ZN8__main__6kernelB2v1B3abcEd").function == "__main__::kernel(double)");
  CHECK(parse_code_name("cfunc._ZN8__main__6kernelEv").function == "cfunc.__main__::kernel()");
  CHECK(parse_code_name("Builtin: a b").function == "Builtin: a b");
  CHECK(parse_code_name("a\x1b[2Jb").function == "a?[2Jb");
  CHECK(parse_code_name(std::string(1 << 20, 'x')).function.size() <= 4096);
}

TEST_CASE("of several names of an address the last is found, and parts of what was there before stay") {
  const test::Scratch scratch;
  const CodeNames names = names_of(scratch,
                                   "1000 100 first\n2000 10 second\n1040 20 inside\n0x3000 0x10 prefixed\n"
                                   "1ff8 10 across\n4000 10 name with blanks\n5000 10 no end");
  CHECK(names.find(0xfff).empty());
  CHECK(names.find(0x1000) == "first");
  CHECK(names.find(0x103f) == "first");
  CHECK(names.find(0x1040) == "inside");
  CHECK(names.find(0x105f) == "inside");
  CHECK(names.find(0x1060) == "first");
  CHECK(names.find(0x10ff) == "first");
  CHECK(names.find(0x1100).empty());
  CHECK(names.find(0x2000) == "across");
  CHECK(names.find(0x2008) == "second");
  CHECK(names.find(0x2010).empty());
  CHECK(names.find(0x3000) == "prefixed");
  CHECK(names.find(0x4001) == "name with blanks");
  CHECK(names.find(0x5001) == "no end");
}

TEST_CASE("a map with lines that are none names what it can") {
  const test::Scratch scratch;
  CHECK(names_of(scratch, "").find(1).empty());
  CHECK(names_of(scratch, std::string(5000, '\0')).find(1).empty());
  const std::string wrong =
      "zz 10 a\n10\n10 \n10 10\n10 10 \n10 0 none\n-10 10 a\nffffffffffffffffff 10 a\nffffffffffffffff 10 a\n"
      "10 ffffffffffffffff a\n 10 10 a\n10  10 a\n7000 10 right\n";
  const CodeNames names = names_of(scratch, wrong);
  for (const std::uint64_t address : {std::uint64_t{0x10}, std::uint64_t{0}, ~std::uint64_t{0}})
    CHECK(names.find(address).empty());
  CHECK(names.find(0x7008) == "right");
  std::string many;
  for (int i = 0; i < 20000; ++i) many += "1000 1000 a\n" + std::to_string(1000 + i % 900) + " 8 b\n";
  CHECK(names_of(scratch, many).find(0x1199) == "b");
}

TEST_CASE("a map that is no file is refused") {
  const test::Scratch scratch;
  CHECK(CodeNames{scratch / "nothing"}.find(1).empty());
  REQUIRE(::mkfifo((scratch / "fifo").c_str(), 0600) == 0);
  CHECK_THROWS_AS(CodeNames{scratch / "fifo"}, Error);
  std::filesystem::create_symlink("/etc/passwd", scratch / "link");
  CHECK_THROWS_AS(CodeNames{scratch / "link"}, Error);
}
