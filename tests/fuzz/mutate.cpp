// SPDX-License-Identifier: BSD-3-Clause
// Runs a fuzz target without libFuzzer: mutate_<name> CORPUS RUNS. Each input is a seed with a few random
// changes; the number of the input that is running is on stderr when it crashes, and --input N runs it again.
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

volatile unsigned long running = 0;

extern "C" void tell(int signal) {
  std::fprintf(stderr, "signal %d in input %lu: run again with --input %lu\n", signal, running, running);
  std::_Exit(128 + signal);
}

std::vector<Bytes> load(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Bytes> seeds;
  for (const auto& file : files) {
    std::ifstream in{file, std::ios::binary};
    seeds.emplace_back(std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{});
  }
  return seeds;
}

void change(Bytes& bytes, std::mt19937_64& random) {
  if (bytes.empty()) return;
  const auto at = random() % bytes.size();
  const auto length = std::min<std::size_t>(1 + random() % 8, bytes.size() - at);
  const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random() % 6) {
    case 0:
      bytes[at] ^= static_cast<std::uint8_t>(1u << (random() % 8));
      break;
    case 1:
      bytes[at] = static_cast<std::uint8_t>(random());
      break;
    case 2:
      std::memset(&bytes[at], random() % 2 == 0 ? 0xff : 0, length);
      break;
    case 3:
      bytes.erase(from, from + static_cast<std::ptrdiff_t>(length));
      break;
    case 4:
      bytes.insert(from, length, static_cast<std::uint8_t>(random()));
      break;
    default: {
      const auto source = random() % (bytes.size() - length + 1);
      std::memmove(&bytes[at], &bytes[source], length);
    }
  }
}

void run(const std::vector<Bytes>& seeds, unsigned long number) {
  running = number;
  std::mt19937_64 random{number};
  Bytes input = seeds[random() % seeds.size()];
  for (auto changes = random() % 6; changes > 0; --changes) change(input, random);
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: %s CORPUS RUNS | CORPUS --input N\n", argv[0]), 2;
  const auto seeds = load(argv[1]);
  if (seeds.empty()) return std::fprintf(stderr, "no seeds in %s\n", argv[1]), 2;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) std::signal(signal, tell);
  if (argc > 3) {
    run(seeds, std::strtoul(argv[3], nullptr, 10));
    return 0;
  }
  const char* stress = std::getenv("TRACER_STRESS");
  const auto runs =
      std::strtoul(argv[2], nullptr, 10) * std::max(1ul, stress == nullptr ? 1ul : std::strtoul(stress, nullptr, 10));
  for (const auto& seed : seeds) LLVMFuzzerTestOneInput(seed.data(), seed.size());
  for (unsigned long i = 1; i <= runs; ++i) run(seeds, i);
  std::printf("%lu inputs\n", runs);
}
