// SPDX-License-Identifier: BSD-3-Clause
// Threads for whose rings the system has no memory, though TRACER_MEMORY is not used up.
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "catch.hpp"
#include "tests/unit/session_run.hpp"

using namespace tracer;
using namespace tracer::test;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which need addresses themselves
namespace {

/// The process may map no more than `bytes` until the end of the scope; 0: nothing, whatever it unmaps meanwhile. Its
/// heap and its stack have some room.
class FewAddresses {
 public:
  explicit FewAddresses(std::uint64_t bytes) {
    char* volatile room = static_cast<char*>(std::malloc(100 << 10));
    std::free(room);
    volatile char stack[64 << 10];
    for (std::size_t at = 0; at < sizeof stack; at += 4096) stack[at] = 0;
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    REQUIRE((pages != 0 && ::getrlimit(RLIMIT_AS, &before_) == 0));
    const rlimit low{bytes == 0 ? page : pages * page + bytes, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_AS, &low) == 0);
  }
  ~FewAddresses() { ::setrlimit(RLIMIT_AS, &before_); }
  FewAddresses(const FewAddresses&) = delete;
  FewAddresses& operator=(const FewAddresses&) = delete;

 private:
  rlimit before_{};
};

/// On a thread that has its stack before that is so. It has no heap: with 0 bytes each of its allocations fails.
template <class Work>
void work_with_few_addresses(std::uint64_t bytes, const Work& work) {
  std::atomic<bool> is_so{false};
  std::thread thread([&] {
    is_so.wait(false);
    work();
  });
  {
    const FewAddresses few(bytes);
    is_so = true;
    is_so.notify_one();
    thread.join();
  }
}

void record_with_few_addresses(std::uint64_t bytes, std::uint64_t count) {
  work_with_few_addresses(bytes, [count] { record_numbers(count); });
}

}  // namespace

TEST_CASE("a thread for whose ring there is no memory gets a smaller one") {
  Run run;
  run.config.memory = std::uint64_t{16} << 30;
  run.config.ring_size = 64 << 20;
  run.start();
  record_with_few_addresses(24 << 20, 5);
  const auto trace = run.finish();
  CHECK(trace->report().complete);
  CHECK(numbers(read_all(*trace, 0)).size() == 5);
  CHECK(trace->journal().messages.empty());
}

TEST_CASE("where there is memory for no ring, that is said once, at the end where there is none for a message either") {
  Run run;
  run.start();
  record_with_few_addresses(0, 5);
  record_with_few_addresses(0, 5);
  std::thread(record_numbers, 5).join();
  const auto trace = run.finish();
  CHECK(trace->journal().counters.at("lost.threads") == 2);
  REQUIRE(trace->journal().messages.size() == 1);
  CHECK_THAT(trace->journal().messages.front(), ContainsSubstring("Cannot allocate memory; see the limits"));
  CHECK(numbers(read_all(*trace, 0)).size() == 5);
}

TEST_CASE("a run ends where there is no memory: what was recorded and counted is there, and the rings are gone") {
  Run run;
  run.start();
  record_numbers(5);
  record_with_few_addresses(0, 5);
  run.session->count("of.a.test", 7);
  run.session->flush();
  const std::filesystem::path rings = run.session->spool().directory();
  REQUIRE_FALSE(rings.empty());
  bool is_there = false;
  work_with_few_addresses(0, [&] { is_there = run.session->finish(Ending::finalize); });
  CHECK(is_there);
  CHECK_FALSE(std::filesystem::exists(rings));
  const auto trace = raw::open_trace(run.session->raw_directory());
  CHECK(trace->report().complete);
  CHECK(trace->journal().ending == Ending::finalize);
  CHECK(trace->journal().counters.at("lost.threads") == 1);
  CHECK(trace->journal().counters.at("of.a.test") == 7);
  CHECK(numbers(read_all(*trace, 0)).size() == 5);
}
#endif
