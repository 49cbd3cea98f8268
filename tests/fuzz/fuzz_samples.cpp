// SPDX-License-Identifier: BSD-3-Clause
// Any samples.bin beside a sound trace: the report and the tables of it, an archive with it that breaks no rule, or an
// Error. Any stream of samples in a raw trace: what of it is whole, converted and read back.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "formats/otf2/join/sampled_archive.hpp"
#include "formats/otf2/write/sink.hpp"
#include "formats/perfetto/perfetto.hpp"
#include "formats/raw/samples.hpp"
#include "formats/samples/samples.hpp"
#include "support/scratch.hpp"
#include "tests/report/sampled_trace.hpp"
#include "tracer/check/check.hpp"
#include "tracer/convert/samples.hpp"
#include "tracer/error.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/replay/samples/timeline_samples.hpp"
#include "tracer/replay/timeline.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/forms/write.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace tracer;

void read_whole(const std::filesystem::path& file) {
  try {
    static test::SampledTrace made = test::sampled_imbalance();
    const samples::SampleSet set = samples::read(file);
    const report::Report report = report::analyze(made.trace, {}, &set);
    report::to_json(report);
    report::to_text(report, {});
    std::ostringstream out;
    const auto perfetto = make_perfetto_writer(made.trace.definitions(), out);
    report::Replay replay{made.trace.definitions()};
    report::TimelineSamples sampled{made.trace.definitions(), set, *perfetto};
    report::Timeline timeline{made.trace.definitions(), *perfetto};
    replay.add(sampled);
    replay.add(timeline);
    made.trace.read(replay);
    replay.finish();
  } catch (const Error&) {
  }
}

std::set<std::string> broken_rules(const std::filesystem::path& archive) {
  std::set<std::string> broken;
  for (const check::RuleResult& finding : check::check(archive).findings)
    if (finding.outcome == check::Outcome::violated) broken.insert(finding.rule);
  return broken;
}

/// A second archive with them: on events it breaks no rule that the first keeps.
void write_archive(const std::filesystem::path& file, const std::filesystem::path& scratch) {
  static const std::set<std::string> known = [&] {
    test::sampled_imbalance().trace.write(*make_otf2_sink(scratch / "plain", {}));
    return broken_rules(scratch / "plain");
  }();
  std::filesystem::remove_all(scratch / "sampled");
  try {
    const samples::SampleSet set = samples::read(file);
    otf2::write_sampled(otf2::Trace::open(scratch / "plain"), set, scratch / "sampled");
  } catch (const Error&) {
    return;
  }
  for (const std::string& rule : broken_rules(scratch / "sampled"))
    if (rule[0] == 'E' && !known.contains(rule)) std::abort();
}

void convert(const std::filesystem::path& raw_directory, const std::filesystem::path& to) {
  Journal journal;
  journal.channels.resize(3);
  for (std::uint32_t c = 0; c < journal.channels.size(); ++c) journal.channels[c].os_thread_id = 101 + c;
  std::vector<std::string> damage;
  if (convert_samples(raw_directory, to, journal, {}, 1'000'000'000, damage) != 0)
    samples::read(to / samples::file_name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::Scratch scratch;
  std::filesystem::create_directories(scratch / "raw");
  const bool is_raw = size >= 8 && std::memcmp(data, raw::samples_magic, sizeof raw::samples_magic) == 0;
  const auto file = scratch / (is_raw ? "raw/samples" : "input.bin");
  std::ofstream{file, std::ios::binary | std::ios::trunc}.write(reinterpret_cast<const char*>(data),
                                                                static_cast<std::streamsize>(size));
  if (is_raw)
    convert(scratch / "raw", scratch.path());
  else
    std::accumulate(data, data + size, 0u) % 8 == 0 ? write_archive(file, scratch.path()) : read_whole(file);
  return 0;
}
