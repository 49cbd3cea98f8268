// SPDX-License-Identifier: BSD-3-Clause
// What the sampler does where there is no memory.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "catch.hpp"
#include "formats/raw/samples.hpp"
#include "tests/support/few_addresses.hpp"
#include "tests/unit/session_run.hpp"
#include "tracer/sample/sampler.hpp"

using namespace tracer;
using namespace tracer::test;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

bool has_message(const Journal& journal, const std::string& part) {
  const auto has_part = [&](const std::string& message) { return message.find(part) != message.npos; };
  return std::any_of(journal.messages.begin(), journal.messages.end(), has_part);
}

}  // namespace

TEST_CASE("samples are written, and the run ends, where there is no memory") {
  Run run;
  run.config.sample = 100;
  run.config.sample_source = SampleSource::signal;
  run.start();
  sample::Sampler* const sampler = sample::Sampler::start(*run.session, nullptr);
  REQUIRE(sampler != nullptr);
  record_numbers(5);
  run.session->count("samples.threads_not_watched", 0);  // a known counter needs no memory
  work_with_few_addresses(0, [&] {
    sampler->thread_began(1);  // this thread's, for which there is no memory
    sampler->thread_ended(1);
    sampler->poll();
    sampler->finish();
    run.session->finish(Ending::finalize);
  });
  const auto trace = raw::open_trace(run.session->raw_directory());
  CHECK(trace->report().complete);
  CHECK(has_message(trace->journal(), "names of code are not read"));
  CHECK_FALSE(has_message(trace->journal(), "no more samples"));
  CHECK(trace->journal().counters.at("samples.threads_not_watched") == 1);
  unsigned sources = 0;
  const auto count = [&](const raw::SampleEntry& entry, std::span<const std::uint64_t>) {
    sources += entry.kind == raw::SampleKind::source;
  };
  CHECK(raw::read_samples(run.session->raw_directory() / "samples", count) == 0);
  CHECK(sources >= 1);
}
#endif
