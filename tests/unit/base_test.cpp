// SPDX-License-Identifier: BSD-3-Clause
// Settings, sizes, checksums, maps of numbers and files.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "catch.hpp"
#include "support/scratch.hpp"
#include "tracer/base/clock.hpp"
#include "tracer/base/config.hpp"
#include "tracer/base/files/checksum.hpp"
#include "tracer/base/files/crc32.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/files/output_stream.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/files/pending_output.hpp"
#include "tracer/base/formatted.hpp"
#include "tracer/base/terminal_text.hpp"
#include "tracer/base/text.hpp"
#include "tracer/base/units.hpp"
#include "tracer/error.hpp"
#include "tracer/number_map.hpp"

using namespace tracer;

namespace {
Config config_of(std::initializer_list<const char*> variables) {
  std::vector<const char*> environment(variables);
  environment.push_back(nullptr);
  return read_config(environment.data());
}
}  // namespace

TEST_CASE("numbers are written with a point, whatever the program's locale") {
  const auto set_one = [] {
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "de_DE", "fr_FR"})
      if (std::setlocale(LC_NUMERIC, name) != nullptr) return;
    WARN("not tested: a locale with a decimal comma, of which none is installed");
  };
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  set_one();
  const std::string point = std::localeconv()->decimal_point, text = formatted("%.2f", 1.5);
  CHECK(std::localeconv()->decimal_point == point);  // the program keeps its own
  std::setlocale(LC_NUMERIC, before.c_str());
  CHECK(text == "1.50");
}

TEST_CASE("numbers that a file chooses to share a bucket do not share one") {
  constexpr std::size_t count = 20'000, many = 64;
  NumberSet numbers;
  numbers.reserve(count);
  const std::size_t buckets = numbers.bucket_count();
  for (std::uint64_t i = 0; i < count; ++i) numbers.insert(i * buckets);
  REQUIRE(numbers.size() == count);
  CHECK(numbers.contains(7 * buckets));
  CHECK_FALSE(numbers.contains(7 * buckets + 1));
  std::size_t most = 0;
  for (std::size_t i = 0; i < numbers.bucket_count(); ++i) most = std::max(most, numbers.bucket_size(i));
  CHECK(most < many);
}

TEST_CASE("durations and sizes have the unit of what is shown, and every digit before the point") {
  CHECK(duration_text(999) == "999 ns");
  CHECK(duration_text(999'949) == "999.9 us");
  CHECK(duration_text(999'960) == "1 ms");
  CHECK(duration_text(999'960'000) == "1 s");
  CHECK(duration_text(9'999'400'000'000) == "9999 s");
  CHECK(duration_text(12'345'600'000'000) == "12346 s");
  CHECK(bytes_text(1023) == "1023 B");
  CHECK(bytes_text(1'048'570) == "1 MiB");
  CHECK(bytes_text(2e18) == "1776 PiB");
}

TEST_CASE("times keep the digits that tell them apart") {
  CHECK(exact_time_text(150'003'100'000) == "150.0031 s");
  CHECK(exact_time_text(1'500'000) == "1.5 ms");
  CHECK(exact_time_text(150'000'000'000) == "150 s");
  CHECK(exact_time_text(0) == "0 ns");
  CHECK(moment_text(150'003'123'456, 200'000'000'000) == "150.003 s");
  CHECK(moment_text(150'003'123'456, 2'000'000) == "150.00312346 s");
}

TEST_CASE("without variables every setting is its default") {
  const Config config = config_of({"PATH=/bin"});
  CHECK(config.enabled);
  CHECK(config.ring_size == 4u << 20);
  CHECK(config.on_full == FullPolicy::wait);
  CHECK(config.record == record_default);
  CHECK(config.complaints.empty());
  REQUIRE(config.settings.size() == config_rows().size());
  CHECK(config.settings.front().origin == "default");
}

TEST_CASE("variables change settings and say where the value came from") {
  const Config config =
      config_of({"TRACER_MEMORY=64M", "TRACER_ON_FULL=newest", "TRACER_RECORD=all,-flush", "TRACER=off"});
  CHECK(config.memory == 64u << 20);
  CHECK(config.on_full == FullPolicy::newest);
  CHECK(config.record == (record_all & ~record_flush));
  CHECK_FALSE(config.enabled);
  CHECK(config.settings.front().origin == "environment");
}

TEST_CASE("what costs the program most is recorded on request only") {
  CHECK((record_default & (record_chunks | record_unified_memory)) == 0u);
  CHECK(config_of({"TRACER_RECORD=+unified-memory"}).record == (record_default | record_unified_memory));
  CHECK((config_of({"TRACER_RECORD=-flush"}).record & record_unified_memory) == 0u);
  CHECK((config_of({"TRACER_RECORD=all"}).record & record_unified_memory) != 0u);
}

TEST_CASE("a wrong value leaves the default and one line names variable, value and what is allowed") {
  const Config config = config_of({"TRACER_RING_SIZE=huge\n"});
  CHECK(config.ring_size == 4u << 20);
  REQUIRE(config.complaints.size() == 1);
  const std::string& line = config.complaints.front();
  CHECK(line.find("TRACER_RING_SIZE=huge?") != line.npos);
  CHECK(line.find("16K to 1G") != line.npos);
  CHECK(line.find('\n') == line.npos);
}

TEST_CASE("levels of messages that nothing has are the one with all messages") {
  for (const char* level : {"TRACER_LOG=info", "TRACER_LOG=debug", "TRACER_LOG=warning"}) {
    const Config config = config_of({level});
    CHECK(config.log == LogLevel::warning);
    CHECK(config.complaints.empty());
  }
}

TEST_CASE("Python's modules are dotted names, and words for all of them stand alone") {
  for (const char* valid : {"on", "all", "off", "start", "pk", "pk.sub,__main__", "_a1", "on.x", "m\xc3\xb6"}) {
    INFO(valid);
    CHECK(config_of({("TRACER_PYTHON=" + std::string{valid}).c_str()}).complaints.empty());
  }
  for (const char* wrong : {"", "a b", "1x", "a,,b", "a,", ",a", "a.", ".a", "a..b", "on,pk", "pk,all", "a-b"}) {
    INFO(wrong);
    const Config config = config_of({("TRACER_PYTHON=" + std::string{wrong}).c_str()});
    REQUIRE(config.complaints.size() == 1);
    CHECK(config.complaints.front().find("using default off") != std::string::npos);
  }
}

TEST_CASE("a launch tells what it is called, and whether other tools are started") {
  CHECK(config_of({"TRACER_LAUNCH=1", "TRACER_LAUNCH_AT=/x"}).other_tools);
  const Config config = config_of({"TRACER_LAUNCH=1", "TRACER_LAUNCH_AT=/x", "TRACER_LAUNCH_TOOLS=none"});
  CHECK_FALSE(config.other_tools);
  CHECK(config.complaints.empty());
}

TEST_CASE("an unknown variable is named") {
  const Config config = config_of({"TRACER_RINGSIZE=1M"});
  REQUIRE(config.complaints.size() == 1);
  CHECK(config.complaints.front().find("TRACER_RINGSIZE") == 0);
}

TEST_CASE("sizes are read with binary units and never overflow") {
  CHECK(parse_size("64K") == 65536u);
  CHECK(parse_size("4MiB") == 4u << 20);
  CHECK(parse_size("17") == 17u);
  CHECK_FALSE(parse_size("17179869184G"));
  CHECK_FALSE(parse_size("-1"));
  CHECK_FALSE(parse_size("4X"));
  CHECK_FALSE(parse_size(""));
}

TEST_CASE("numbers and sizes are shown for people") {
  CHECK(format_count(1234567) == "1,234,567");
  CHECK(format_count(999) == "999");
  CHECK(format_counted(1, "thread") == "1 thread");
  CHECK(format_counted(0, "thread") == "0 threads");
  CHECK(format_counted(1, "process") == "1 process");
  CHECK(format_counted(1234, "process") == "1,234 processes");
  CHECK(format_bytes(3u << 20) == "3.0 MiB");
  CHECK(format_bytes(12) == "12 B");
}

TEST_CASE("functions are named as people do") {
  const auto plain = [](const char* name) { return plain_function(name); };
  CHECK(plain("step") == "step");
  CHECK(plain("LAMMPS_NS::CommBrick::reverse_comm()") == "LAMMPS_NS::CommBrick::reverse_comm");
  CHECK(plain("void a::each<int, b<c> >(std::vector<int> const&, void (*)(int))") == "a::each");
  CHECK(plain("std::vector<std::pair<int, int> > a::pairs(int)") == "a::pairs");
  CHECK(plain("(anonymous namespace)::f(int)") == "(anonymous namespace)::f");
  CHECK(plain("main::{lambda(int)#1}::operator()(int) const") == "main::{lambda(int)#1}::operator()");
  CHECK(plain("a::operator<<(std::ostream&, a::b const&)") == "a::operator<<");
  CHECK(plain("bool a::operator< <int>(int, int)") == "a::operator< <int>");
  CHECK(plain("a::b::operator bool() const") == "a::b::operator bool");
  CHECK(plain("module::subroutine") == "module::subroutine");
  CHECK(plain("") == "");
  CHECK(plain("<") == "<");
  CHECK(plain("a{b") == "a{b");
}

TEST_CASE("functions of C keep their names, whatever type is written like them") {
  for (const char* name : {"a", "b", "f", "x", "i", "d", "St", "Sa", "main", "PKc", ""}) CHECK(demangled(name) == name);
  CHECK(demangled("_Z3fooi") == "foo(int)");
  CHECK(demangled("_Zzz") == "_Zzz");
}

TEST_CASE("a mangled name whose text is beyond all measure stays as it is") {
  const auto doubled = [](std::size_t times) {
    constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string name = "_Z1f1AIiiE";
    for (std::size_t i = 0; i < times; ++i) {
      const std::string last = std::string{"S"} + digits[i] + '_';
      name += "S_I" + last + last + 'E';
    }
    return name;
  };
  CHECK(demangled(doubled(1)) == "f(A<int, int>, A<A<int, int>, A<int, int> >)");
  CHECK(demangled(doubled(8)).size() > 8000);
  CHECK(demangled(doubled(20)) == doubled(20));
  const std::string packs = "_Z1fIJ" + std::string(60, 'i') + "EEvDp1BIT_Dp1BIT_Dp1BIT_EEEE";
  CHECK(demangled(packs) == packs);
  CHECK(demangled("_ZSt13__invoke_implIvRFvvEJEET_St14__invoke_otherOT0_DpOT1_") ==
        "void std::__invoke_impl<void, void (&)()>(std::__invoke_other, void (&)())");
  std::string many = "_ZN1n1fE";  // parameters of classes in one namespace
  for (char c = 'a'; c <= 'z'; ++c) (many += "NS_2a") += std::string{c} + "ENS_2b" + c + 'E';
  CHECK(demangled(many).starts_with("n::f(n::aa, n::ba, n::ab, n::bb, "));
}

TEST_CASE("on a terminal only the styles of commands' own stay") {
  CHECK(shown_on_terminal("\x1b[1mA\x1b[0m\nb\x1b]0;t\x07", true) == "\x1b[1mA\x1b[0m\nb?]0;t?");
  CHECK(shown_on_terminal("\x1b[1mA\x1b[0m", false) == "?[1mA?[0m");
  CHECK(shown_on_terminal("\x1b[8mhidden\x1b[1;31mred", true) == "?[8mhidden\x1b[1;31mred");
  CHECK(shown_on_terminal("\x1b\x1b[0m\x1b", true) == "?\x1b[0m?");
  CHECK(shown_on_terminal("", true).empty());
}

TEST_CASE("messages name the paths that descriptors lead to") {
  const UniqueFd fd{::open("/tmp/.", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  REQUIRE(fd);
  const std::string own = "/proc/self/fd/" + std::to_string(fd.get());
  CHECK(with_names_of_descriptors("in " + own + "/./a: no") == "in /tmp/a: no");
  CHECK(with_names_of_descriptors("in " + own + "/.") == "in /tmp");
  CHECK(with_names_of_descriptors(own + "/.hidden " + own) == "/tmp/.hidden /tmp");
  CHECK(with_names_of_descriptors("/proc/self/fd/ /proc/self/fd/999999") == "/proc/self/fd/ /proc/self/fd/999999");
}

TEST_CASE("text of others is shown without what a terminal would obey") {
  CHECK(shown("!$omp parallel @s\u00f6lve.c:3 \u2713") == "!$omp parallel @s\u00f6lve.c:3 \u2713");
  CHECK(shown("a\x1b[31mb\nc\rd\te\x7f") == "a?[31mb?c?d?e?");
  CHECK(shown("\xc2\x9b"
              "2J") == "?2J");                        // CSI as one character
  CHECK(shown("\xe2\x80\xaegpj.exe") == "?gpj.exe");  // from right to left
  CHECK(shown("\xff\xc3") == "??");
  CHECK(shown("\xc0\x9b\xed\xa0\x80") == "?????");  // overlong, and half of a pair
  CHECK(shown("") == "");
}

TEST_CASE("a checksum changes with any bit and with the length") {
  unsigned char bytes[100]{};
  const auto plain = checksum(bytes, sizeof bytes);
  CHECK(checksum(bytes, sizeof bytes - 1) != plain);
  for (std::size_t bit = 0; bit < 8 * sizeof bytes; ++bit) {
    bytes[bit / 8] ^= static_cast<unsigned char>(1u << (bit % 8));
    CHECK(checksum(bytes, sizeof bytes) != plain);
    bytes[bit / 8] ^= static_cast<unsigned char>(1u << (bit % 8));
  }
}

TEST_CASE("a CRC-32 is zlib's") {
  CHECK(crc32("") == 0);
  CHECK(crc32("123456789") == 0xcbf43926u);
  CHECK(crc32("6789", crc32("12345")) == 0xcbf43926u);
  CHECK(crc32("\xff\x80") == 0x3f456cadu);
}

TEST_CASE("the three clocks are read together and go forward") {
  choose_clock();
  const ClockSync first = read_clocks(), second = read_clocks();
  CHECK(second.ticks > first.ticks);
  CHECK(second.monotonic > first.monotonic);
  CHECK(first.realtime > 1'600'000'000'000'000'000u);
}

TEST_CASE("the processor's counter is left alone where the kernel does not read it itself") {
  const test::Scratch scratch;
  const auto file = (scratch.path() / "current_clocksource").string();
  const ClockKind unknown = choose_clock(file.c_str());
  for (const auto& [source, kind] : {std::pair{"tsc\n", unknown},
                                     {"kvm-clock\n", unknown},
                                     {"", unknown},
                                     {"hpet\n", ClockKind::monotonic},
                                     {"acpi_pm", ClockKind::monotonic}}) {
    std::ofstream{file} << source;
    CHECK(choose_clock(file.c_str()) == kind);
  }
  choose_clock();
}

TEST_CASE("a message on a limit names the command that raises it") {
  CHECK_THAT(system_message("cannot make x", EFBIG), ContainsSubstring("ulimit -f"));
  CHECK_THAT(system_message("cannot make x", EMFILE), ContainsSubstring("ulimit -n"));
}

TEST_CASE("a path in a suggested command is one word for a shell, and no option for the command") {
  CHECK(shell_word("a/b_1.2-3") == "a/b_1.2-3");
  CHECK(shell_word("-dash/t") == "./-dash/t");
  CHECK(shell_word("-a b") == "'./-a b'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("") == "''");
}

TEST_CASE("a file of ours is private, new, and never behind a symbolic link") {
  const test::Scratch scratch;
  const auto path = scratch.path() / "file";
  OwnFile file = OwnFile::create(path);
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK_THROWS_AS(OwnFile::create(path), Error);
  const auto link = scratch.path() / "link";
  REQUIRE(::symlink("/tmp/tracer-elsewhere", link.c_str()) == 0);
  CHECK_THROWS_AS(OwnFile::create(link), Error);
}

TEST_CASE("a stream of Tracer's own neither follows a link nor waits for a pipe") {
  const test::Scratch scratch;
  const auto link = scratch / "link", pipe = scratch / "pipe", other = scratch / "other";
  REQUIRE(::symlink(other.c_str(), link.c_str()) == 0);
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(OutputStream{link, OutputStream::Begin::new_only}.error() == EEXIST);
  CHECK(OutputStream{pipe, OutputStream::Begin::new_only}.error() == EEXIST);
  CHECK(OutputStream{link, OutputStream::Begin::at_end}.error() == ELOOP);
  CHECK(OutputStream{pipe, OutputStream::Begin::at_end}.error() == ENXIO);
  CHECK_FALSE(is_there(other));
}

TEST_CASE("a stream knows why its first failed write failed, whatever is called until its end") {
  const test::Scratch scratch;
  OutputStream full{"/dev/full"};
  for (int i = 0; i < 100; ++i) {
    full << std::string(10'000, 'x');
    errno = ENOENT;
  }
  CHECK_FALSE(full);
  CHECK(full.close() == ENOSPC);
  OutputStream nowhere{scratch / "none" / "file"};
  CHECK_FALSE(nowhere);
  CHECK(nowhere.close() == ENOENT);
  OutputStream file{scratch / "file"};
  for (int i = 0; i < 30'000; ++i) file << i << '\n';
  CHECK(file.close() == 0);
  OutputStream more{scratch / "file", OutputStream::Begin::at_end};
  more << "end\n";
  CHECK(more.close() == 0);
  std::ifstream in{scratch / "file"};
  std::string line;
  for (int i = 0; i < 30'000; ++i) REQUIRE((std::getline(in, line) && line == std::to_string(i)));
  CHECK((std::getline(in, line) && line == "end"));
}

TEST_CASE("an interrupt removes both outputs that a command writes beside each other") {
  const test::Scratch scratch;
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGTERM, SIG_DFL);  // not Catch2's
    const PendingOutput whole{scratch / "out"}, part{scratch / "out"};
    ::raise(SIGTERM);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
  CHECK(std::filesystem::is_empty(scratch.path()));
}

TEST_CASE("a file whose descriptor the program closed and used again is opened anew") {
  const test::Scratch scratch;
  OwnFile file = OwnFile::create(scratch.path() / "file");
  const int fd = file.descriptor();
  const int other = ::open("/dev/null", O_WRONLY);
  REQUIRE(::dup2(other, fd) == fd);  // now the program's
  const char text[] = "abc";
  CHECK(file.append(std::as_bytes(std::span(text))) == 0);
  CHECK(std::filesystem::file_size(scratch.path() / "file") == sizeof text);
  file.close();
  CHECK(::fcntl(fd, F_GETFD) >= 0);  // what the program has there is not ours to close
  ::close(fd);
  ::close(other);
}
