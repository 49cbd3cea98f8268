// SPDX-License-Identifier: BSD-3-Clause
// Seeds of fuzz_samples: samples of a known trace, with counters and without; a raw stream with every kind of entry.
#include <vector>

#include "formats/raw/samples.hpp"
#include "formats/samples/samples.hpp"
#include "tests/report/sampled_trace.hpp"

namespace {

using namespace tracer;

void write_raw(const std::filesystem::path& path) {
  std::filesystem::remove(path);
  raw::SampleWriter writer;
  writer.create(OwnFile::create(path), {1, 2});
  const auto add = [&](raw::SampleKind kind, std::uint32_t reason, const std::vector<std::uint64_t>& words) {
    static Nanoseconds time = 1000;
    raw::SampleEntry entry{};
    entry.frames = static_cast<std::uint16_t>(words.size());
    entry.kind = kind;
    entry.channel = static_cast<ChannelId>(time / 1000 % 3);
    entry.reason = reason;
    entry.time = time += 700;
    writer.append(entry, words);
  };
  for (int round = 0; round < 3; ++round) {
    add(raw::SampleKind::counters, 0, {0, 1, 14});
    add(raw::SampleKind::counted, 3, {1000, raw::not_counted, 7, 0x400100, 0x400200});
    add(raw::SampleKind::sample, 0, {0x400100, 0x400200});
    add(raw::SampleKind::switched_out, raw::preempted, {});
    add(raw::SampleKind::switched_in, 0, {});
    add(raw::SampleKind::lost, 5, {});
    add(raw::SampleKind::asked, 0, {0x41, 0xabc0, 0x400100 | raw::frame_of_runtime, 0x400200});
    add(raw::SampleKind::source, 1'000'000, {});
  }
  writer.flush();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::filesystem::path corpus = argv[1];
  std::filesystem::create_directories(corpus);
  samples::SampleSet set = test::sampled_imbalance().samples;
  samples::write(set, corpus / "counted");
  set.counters.clear();
  set.values.clear();
  samples::write(set, corpus / "plain");
  write_raw(corpus / "raw");
}
