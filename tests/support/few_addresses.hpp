// SPDX-License-Identifier: BSD-3-Clause
// A process that can map no more memory. Not for sanitizers, which need addresses themselves.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

#include "catch.hpp"

namespace tracer::test {

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

/// All that the thread's malloc() would still give, until the end of the scope.
class FullHeap {
 public:
  FullHeap() {
    for (std::size_t size = 64 << 10; size >= sizeof(Block); size /= 2)
      while (auto* const block = static_cast<Block*>(std::malloc(size))) {
        block->next = first_;
        first_ = block;
      }
  }
  ~FullHeap() {
    while (first_ != nullptr) {
      Block* const next = first_->next;
      std::free(first_);
      first_ = next;
    }
  }
  FullHeap(const FullHeap&) = delete;
  FullHeap& operator=(const FullHeap&) = delete;

 private:
  struct Block {
    Block* next;
  };
  Block* first_ = nullptr;
};

/// On a thread that has its stack before that is so. With 0 bytes each of its allocations fails.
template <class Work>
void work_with_few_addresses(std::uint64_t bytes, const Work& work) {
  std::atomic<bool> is_so{false};
  std::thread thread([&] {
    is_so.wait(false);
    const std::optional<FullHeap> full = bytes == 0 ? std::optional<FullHeap>(std::in_place) : std::nullopt;
    work();
  });
  {
    const FewAddresses few(bytes);
    is_so = true;
    is_so.notify_one();
    thread.join();
  }
}

}  // namespace tracer::test
