// SPDX-License-Identifier: BSD-3-Clause
// The copy of a process' perf map while it grows, whatever stands in its place; and stacks through Python's
// trampolines.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "sample_walk.hpp"
#include "tests/support/scratch.hpp"
#include "tracer/sample/code_map.hpp"
#include "tracer/sample/trampolines.hpp"

using namespace tracer::sample;

namespace {

/// The map of this process, until the end of the block.
struct Map {
  std::string path = "/tmp/perf-" + std::to_string(::getpid()) + ".map";
  Map() { ::unlink(path.c_str()); }
  ~Map() { ::unlink(path.c_str()); }
  void append(const std::string& text) const { std::ofstream(path, std::ios::app | std::ios::binary) << text; }
};

struct Copy {
  tracer::test::Scratch scratch;
  CodeMap map;
  Copy() { map.begin(scratch / "code-map", scratch / "code-map"); }
  std::string text() {
    map.copy();
    std::ostringstream text;
    text << std::ifstream(scratch / "code-map", std::ios::binary).rdbuf();
    return text.str();
  }
};

}  // namespace

TEST_CASE("a map is copied while it grows, by whole lines, and again when it is written anew") {
  const Map map;
  Copy copy;
  CHECK(copy.text().empty());
  CHECK(!tracer::is_there(copy.scratch / "code-map"));
  map.append("1000 10 first\n2000 10 sec");
  CHECK(copy.text() == "1000 10 first\n");
  CHECK(copy.text() == "1000 10 first\n");
  map.append("ond\n");
  CHECK(copy.text() == "1000 10 first\n2000 10 second\n");
  ::unlink(map.path.c_str());
  CHECK(copy.text() == "1000 10 first\n2000 10 second\n");
  map.append("3000 10 third\n");
  CHECK(copy.text() == "1000 10 first\n2000 10 second\n3000 10 third\n");
  CHECK(copy.map.take_message().empty());
}

TEST_CASE("a copy that is closed stays as it is, and nothing is said of what comes later") {
  const Map map;
  Copy copy;
  map.append("1000 10 first\n");
  CHECK(copy.text() == "1000 10 first\n");
  copy.map.close();
  map.append("2000 10 second\n");
  CHECK(copy.text() == "1000 10 first\n");
  CHECK(copy.map.take_message().empty());
}

TEST_CASE("what stands in the place of a map and is none is neither followed nor waited for") {
  const Map map;
  Copy copy;
  SECTION("a link") {
    std::ofstream(copy.scratch / "other") << "1000 10 other\n";
    REQUIRE(::symlink((copy.scratch / "other").c_str(), map.path.c_str()) == 0);
  }
  SECTION("a FIFO") {
    REQUIRE(::mkfifo(map.path.c_str(), 0600) == 0);
  }
  SECTION("a directory") {
    REQUIRE(::mkdir(map.path.c_str(), 0700) == 0);
  }
  CHECK(copy.text().empty());
  CHECK(copy.map.take_message().find("not a regular file") != std::string::npos);
  copy.map.copy();
  CHECK(copy.map.take_message().empty());  // said once
  ::rmdir(map.path.c_str());
}

TEST_CASE("a map of another user, of an earlier process, without lines or without an end is left") {
  const Map map;
  Copy copy;
  SECTION("another user's") {
    if (::geteuid() != 0) return;  // only root can make one
    map.append("1000 10 theirs\n");
    REQUIRE(::chown(map.path.c_str(), 65534, 65534) == 0);
    CHECK(copy.text().empty());
    CHECK(copy.map.take_message().find("another user's") != std::string::npos);
  }
  SECTION("of a process that had the number before") {
    map.append("1000 10 stale\n");
    const timespec times[2] = {{1000, 0}, {1000, 0}};
    REQUIRE(::utimensat(AT_FDCWD, map.path.c_str(), times, 0) == 0);
    CHECK(copy.text().empty());
    map.append("2000 10 ours\n");
    CHECK(copy.text().find("ours") != std::string::npos);
  }
  SECTION("without lines") {
    map.append(std::string(3 << 20, 'x'));
    CHECK(copy.text().empty());
    CHECK(copy.map.take_message().find("no lines") != std::string::npos);
  }
  SECTION("too large") {
    map.append("1000 10 first\n");
    CHECK(copy.text() == "1000 10 first\n");
    std::string large;
    for (int i = 0; i < 125; ++i) large += "2000 10 " + std::string(8300, 'x') + "\n";
    for (int i = 0; i < 70; ++i) map.append(large);
    CHECK(copy.text().size() <= 64u << 20);
    CHECK(copy.map.take_message().find("64 MiB") != std::string::npos);
  }
}

#if defined(__x86_64__)
namespace {

std::vector<std::uint64_t> walked;

/// What a handler does, from here on outwards.
__attribute__((noinline)) long walk() {
  ucontext_t context;
  ::getcontext(&context);
  walked = frames_around(context, leave_trampoline);
  return static_cast<long>(walked.size());
}

using Trampoline = long (*)(long, long, long, long (*)());

}  // namespace

TEST_CASE("a stack goes on behind Python's trampolines") {
  if (!prepare_unwinder()) return;
  const std::vector<std::vector<std::uint8_t>> kinds{
      {0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3},  // of 3.12 on
      {0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3},
      {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd1, 0x5d, 0xc3},  // with a frame pointer
  };
  void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;  // where no memory may be written and run
  auto* code = static_cast<std::uint8_t*>(memory);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind, code += 64) {
    std::memcpy(code, kinds[kind].data(), kinds[kind].size());
    Trampoline trampoline = nullptr;
    std::memcpy(&trampoline, &code, sizeof code);
    const long before = trampoline(0, 0, 0, walk);
    char line[128];
    std::snprintf(line, sizeof line, "%lx %zx py::f%zu:/x.py\n", reinterpret_cast<unsigned long>(code),
                  kinds[kind].size(), kind);
    Trampolines{}.add(line);
    const long with = trampoline(0, 0, 0, walk);
    CHECK(before < with);
    const auto address = reinterpret_cast<std::uint64_t>(code);
    bool is_there = false;
    for (const std::uint64_t frame : walked) is_there = is_there || (frame > address && frame < address + 64);
    CHECK(is_there);
    CHECK(with > 3);  // this function, and what called it
  }
}

TEST_CASE("trampolines that lie close together leave room for all of a large program") {
  if (!prepare_unwinder()) return;
  constexpr std::size_t functions = 5000;
  constexpr std::uint8_t kind[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3};
  void* memory =
      ::mmap(nullptr, functions * sizeof kind, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  auto* code = static_cast<std::uint8_t*>(memory);
  for (std::size_t i = 0; i < functions; ++i) {
    std::memcpy(code + i * sizeof kind, kind, sizeof kind);
    char line[128];
    std::snprintf(line, sizeof line, "%lx b py::f%zu:/x.py\n", reinterpret_cast<unsigned long>(code + i * sizeof kind),
                  i);
    Trampolines{}.add(line);
  }
  code += (functions - 1) * sizeof kind;
  Trampoline trampoline = nullptr;
  std::memcpy(&trampoline, &code, sizeof code);
  CHECK(trampoline(0, 0, 0, walk) > 3);
}
#endif

TEST_CASE("a forked child has the names that its parent had for the code") {
  const Map map;
  map.append("1000 10 parents\n");
  Copy copy;
  CHECK(copy.text() == "1000 10 parents\n");
  const pid_t child = ::fork();
  if (child == 0) {
    std::string text;
    {
      const Map own;
      own.append("2000 10 childs\n");
      text = Copy{}.text();
    }
    ::_exit(text == "1000 10 parents\n2000 10 childs\n" ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
