// SPDX-License-Identifier: BSD-3-Clause
// What a process may still take, out of made-up files of the kernel's.
#include <fstream>

#include "catch.hpp"
#include "support/scratch.hpp"
#include "tracer/base/limits.hpp"

using namespace tracer;

namespace {

constexpr std::uint64_t mib = 1 << 20;

/// A /proc and a /sys.
struct Machine {
  test::Scratch scratch;

  void file(const std::string& name, const std::string& text) {
    const auto path = scratch.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void group_2(const std::string& name, const std::string& most, std::uint64_t used, std::uint64_t cached) {
    file("sys/fs/cgroup" + name + "/memory.max", most + "\n");
    file("sys/fs/cgroup" + name + "/memory.current", std::to_string(used) + "\n");
    file("sys/fs/cgroup" + name + "/memory.stat",
         "anon 4096\ninactive_file " + std::to_string(cached) + "\nactive_file 0\n");
  }
  std::uint64_t left() { return memory_left(scratch.path()); }
};

}  // namespace

TEST_CASE("memory is left until the machine has none available") {
  Machine machine;
  CHECK(machine.left() == no_limit);
  machine.file("proc/meminfo", "MemTotal: 4096000 kB\nMemFree: 1 kB\nMemAvailable:   2048 kB\n");
  CHECK(machine.left() == 2 * mib);
}

TEST_CASE("memory is left until the nearest limit of a control group, and caches are free") {
  Machine machine;
  machine.file("proc/meminfo", "MemAvailable: 1048576 kB\n");
  machine.file("proc/self/cgroup", "0::/batch/job\n");
  machine.group_2("/batch/job", "max", 10 * mib, 0);
  CHECK(machine.left() == 1024 * mib);
  machine.group_2("/batch", std::to_string(100 * mib), 90 * mib, 20 * mib);
  CHECK(machine.left() == 30 * mib);
  machine.group_2("/batch/job", std::to_string(12 * mib), 10 * mib, 0);
  CHECK(machine.left() == 2 * mib);
  machine.group_2("/batch/job", std::to_string(12 * mib), 13 * mib, 0);
  CHECK(machine.left() == 0);
}

TEST_CASE("a container's own control group counts where its path is the host's") {
  Machine machine;
  machine.file("proc/self/cgroup", "5:cpu:/\n4:memory,hugetlb:/docker/0123\n0::/\n");
  machine.file("sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(64 * mib) + "\n");
  machine.file("sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(60 * mib) + "\n");
  machine.file("sys/fs/cgroup/memory/memory.stat",
               "cache 1\ntotal_inactive_file " + std::to_string(8 * mib) + "\ntotal_active_file 0\n");
  CHECK(machine.left() == 12 * mib);
}
