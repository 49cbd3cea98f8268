// SPDX-License-Identifier: BSD-3-Clause
// Who may join a job's directory, and who is the last of it.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "catch.hpp"
#include "support/no_file_room.hpp"
#include "tracer/error.hpp"
#include "tracer/job/job_directory.hpp"
#include "tracer/job/output_pattern.hpp"

namespace fs = std::filesystem;
using namespace tracer;

namespace {

struct Room {
  Room() : path(fs::temp_directory_path() / ("tracer-job-test-" + random_name())) { make_private_directory(path); }
  ~Room() { fs::remove_all(path); }
  fs::path path;
};

/// How many files of the directory that `watch` (inotify) looks at were opened.
int opened_files(int watch) {
  int opened = 0;
  alignas(inotify_event) char events[16384];
  for (ssize_t n = 0; (n = ::read(watch, events, sizeof events)) > 0;)
    for (std::size_t at = 0; at < static_cast<std::size_t>(n);) {
      const auto* const event = static_cast<const inotify_event*>(static_cast<const void*>(events + at));
      if (event->len != 0) ++opened;  // 0: the directory itself
      at += sizeof(inotify_event) + event->len;
    }
  return opened;
}

}  // namespace

TEST_CASE("processes of one job share its directory, and others take the next name") {
  const Room room;
  const auto first = enter_job(room.path / "out", "one"), second = enter_job(room.path / "out", "one");
  CHECK(first.path == second.path);
  CHECK(first.made);
  CHECK_FALSE(second.made);
  const auto other = enter_job(room.path / "out", "two");
  CHECK(other.path == room.path / "out.2");
  CHECK(other.renamed);
  CHECK(job_of_directory(room.path / "out.2") == "two");
}

TEST_CASE("a directory that is not empty, is a link or another's name is no job's") {
  const Room room;
  fs::create_directory(room.path / "full");
  std::ofstream(room.path / "full" / "file") << "mine";
  CHECK(enter_job(room.path / "full", "job").path == room.path / "full.2");
  fs::create_directory(room.path / "elsewhere");
  fs::create_directory_symlink(room.path / "elsewhere", room.path / "link");
  CHECK(enter_job(room.path / "link", "job").path == room.path / "link.2");
  CHECK(fs::is_empty(room.path / "elsewhere"));
}

TEST_CASE("nothing is made beside a device; a pipe is another's name like a file") {
  const Room room;
  CHECK_THROWS(enter_job("/dev/null", "job"));
  CHECK_FALSE(fs::exists("/dev/null.2"));
  REQUIRE(::mkfifo((room.path / "pipe").c_str(), 0600) == 0);
  CHECK(enter_job(room.path / "pipe", "job").path == room.path / "pipe.2");
}

TEST_CASE("an empty directory that others could write is made private, and a full one is not taken") {
  const Room room;
  fs::create_directory(room.path / "open");
  ::chmod((room.path / "open").c_str(), 0777);
  CHECK(enter_job(room.path / "open", "job").path == room.path / "open");
  struct stat info {};
  REQUIRE(::stat((room.path / "open").c_str(), &info) == 0);
  CHECK((info.st_mode & 022) == 0);
  ::chmod((room.path / "open").c_str(), 0777);
  CHECK(job_of_directory(room.path / "open").empty());
  CHECK(enter_job(room.path / "open", "job").path == room.path / "open.2");
}

TEST_CASE("a job that cannot begin for the limit of file sizes is refused, and the process lives") {
  const Room room;
  CHECK(test::holds_without_file_room([&] {
    try {
      enter_job(room.path / "out", "job");
    } catch (const Error&) {
      return true;
    }
    return false;
  }));
}

TEST_CASE("what a job keeps can be opened again where the umask takes everything from the user himself") {
  const Room room;
  const mode_t before = ::umask(0777);
  const JobRun run(room.path / "out", "job", "a");
  ::umask(before);
  for (const char* file : {"job", "runs/a"}) {
    struct stat info {};
    REQUIRE(::stat((room.path / "out" / file).c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
  }
}

TEST_CASE("the last of a job's runs is told, once all that were started have ended") {
  const Room room;
  JobRun first(room.path / "out", "job", "a");
  CHECK_FALSE(first.end(2));  // the other is still to come
  JobRun second(room.path / "out", "job", "b"), third(room.path / "out", "job", "c");
  CHECK_FALSE(second.end(2));  // the third runs
  CHECK(third.end(2));
  third.clean_up(false);
  CHECK_FALSE(fs::exists(room.path / "out" / "job"));
}

TEST_CASE("a run that died counts as ended") {
  const Room room;
  { const JobRun dead(room.path / "out", "job", "a"); }
  JobRun run(room.path / "out", "job", "b");
  CHECK(run.end(2));
}

TEST_CASE("a run that ends opens no more of the others than the first that lives") {
  const Room room;
  JobRun first(room.path / "out", "job", "a");
  const fs::path runs = room.path / "out" / "runs";
  std::vector<UniqueFd> others;
  for (int i = 0; i < 200; ++i) {
    const fs::path other = runs / ("other" + std::to_string(i));
    others.emplace_back(::open(other.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    REQUIRE(::flock(others.back().get(), LOCK_EX | LOCK_NB) == 0);
  }
  const UniqueFd watch{::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
  if (!watch && errno == EMFILE) SKIP_TEST("how many runs are opened: this user has all inotify instances");
  REQUIRE(::inotify_add_watch(watch.get(), runs.c_str(), IN_OPEN) >= 0);
  CHECK_FALSE(first.end(201));
  CHECK(opened_files(watch.get()) == 1);
  JobRun second(room.path / "out", "job", "b");
  others.clear();  // they died
  CHECK(second.end(202));
}

TEST_CASE("what killed processes left of their marks is removed as a job begins and ends, what lives is left alone") {
  const Room room;
  const fs::path out = room.path / "out";
  fs::create_directory(out);
  for (const char* name : {".job-killed", ".job-alive"}) std::ofstream(out / name) << "another\n";
  const UniqueFd alive{::open((out / ".job-alive").c_str(), O_RDWR | O_CLOEXEC)};
  REQUIRE(::flock(alive.get(), LOCK_EX | LOCK_NB) == 0);
  JobRun run(out, "job", "a");
  CHECK(run.directory().path == out);
  CHECK_FALSE(fs::exists(out / ".job-killed"));
  CHECK(fs::exists(out / ".job-alive"));
  std::ofstream(out / ".job-later") << "job\n";
  REQUIRE(run.end(1));
  run.clean_up(false);
  CHECK_FALSE(fs::exists(out / ".job-later"));
  CHECK(fs::exists(out / ".job-alive"));
}

TEST_CASE("parts are directories of the launch, and no links") {
  const Room room;
  const auto job = enter_job(room.path / "out", "job").path;
  const auto mine = make_part_directory(job, "aa", "host"), other = make_part_directory(job, "bb", "host");
  fs::create_directory_symlink(room.path, job / "parts" / "aa.link");
  CHECK(parts_of_job(job).size() == 2);
  CHECK(parts_of_job(job, "aa") == std::vector{mine});
  CHECK(parts_of_job(job, "bb") == std::vector{other});
}

TEST_CASE("a pattern that names a process or a time is no job's") {
  CHECK(pattern_of_job("out-%x", "pmix-1") == "out-%x");
  CHECK(pattern_of_job("out-%p", "pmix-1").empty());
  CHECK(pattern_of_job("out%%p", "pmix-1") == "out%%p");
  CHECK(pattern_of_job("", "pmix-1") == "tracer-%x-pmix-1");
  CHECK(pattern_of_job("", "name-coupled") == "tracer-coupled");
  CHECK(expand_output(literal_output("/a%x/b%"), {}) == "/a%x/b%");
}

TEST_CASE("a name has the time of UTC") {
  const auto name = [](std::int64_t seconds) {
    return utc_time_name(std::chrono::sys_seconds{std::chrono::seconds{seconds}});
  };
  CHECK(name(951'782'400) == "20000229-000000Z");
  CHECK(name(1'000'000'000) == "20010909-014640Z");
  CHECK(expand_output("%t.%%t", {"", 0, "", "now"}) == "now.%t");
}

TEST_CASE("a private directory is found again whatever its path leads to by now") {
  const Room room;
  const fs::path path = room.path / "own", aside = room.path / "aside", other = room.path / "other";
  make_private_directory(path);
  make_private_directory(other);
  OwnDirectory own(path);
  REQUIRE(own);
  fs::rename(path, aside);
  CHECK_FALSE(OwnDirectory(path));
  fs::create_symlink(other, path);
  CHECK_FALSE(OwnDirectory(path));
  make_private_directory(own.at(path) / "raw");
  CHECK(fs::exists(aside / "raw"));
  CHECK(fs::is_empty(other));
  CHECK(with_path("cannot write " + own.at(path).string() + "/raw/trace: why", own.at(path), "/there/own") ==
        "cannot write /there/own/raw/trace: why");
}

TEST_CASE("a directory whose descriptor the program has closed is known by its path, while that leads to it") {
  const Room room;
  const fs::path path = room.path / "own";
  make_private_directory(path);
  const OwnDirectory own(path);
  REQUIRE(own);
  const UniqueFd another{::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  const int number = std::stoi(own.at(path).parent_path().filename());
  REQUIRE(::dup2(another.get(), number) == number);
  CHECK(own.at(path) == path);
  fs::rename(path, room.path / "aside");
  make_private_directory(path);
  CHECK(own.at(path).empty());
  ::close(number);
}
