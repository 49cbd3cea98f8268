// SPDX-License-Identifier: BSD-3-Clause
// A run in which threads record numbers, and what its raw trace has of them.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "catch.hpp"
#include "formats/raw/reader.hpp"
#include "support/scratch.hpp"
#include "tracer/base/clock.hpp"
#include "tracer/drain/drainer.hpp"
#include "tracer/session/session.hpp"

namespace tracer::test {

inline Record numbered(std::uint64_t number) {
  Record record{};
  record.time = now();
  record.kind = RecordKind::work;
  record.endpoint = Endpoint::begin;
  record.b = number;
  return record;
}

struct Run {
  Scratch scratch;
  Config config;
  Session* session = nullptr;

  void start() {
    config.output = (scratch.path() / "out").string();
    config.log = LogLevel::off;
    session = Session::start({}, config, make_drainer);
    REQUIRE(session);
  }
  std::unique_ptr<raw::RawTrace> finish() {
    REQUIRE(session->finish(Ending::finalize));
    return raw::open_trace(session->raw_directory());
  }
};

inline std::vector<Record> read_all(const TraceSource& source, ChannelId channel) {
  std::vector<Record> all;
  const auto reader = source.records(channel);
  for (auto batch = reader->next(); !batch.empty(); batch = reader->next())
    all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

/// The numbers of the work records, without what the collector tells about itself.
inline std::vector<std::uint64_t> numbers(const std::vector<Record>& records) {
  std::vector<std::uint64_t> result;
  for (const auto& record : records) {
    if (record.kind == RecordKind::work) result.push_back(record.b);
  }
  return result;
}

/// From `from` up to `to`, which is none of them.
inline void record_numbers_between(std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t i = from; i < to; ++i) {
    if (auto* channel = this_channel()) channel->emit(numbered(i));
  }
}

inline void record_numbers(std::uint64_t count) {
  record_numbers_between(0, count);
}

inline bool counts_up(const std::vector<std::uint64_t>& values, std::uint64_t from) {
  for (const auto value : values) {
    if (value != from++) return false;
  }
  return true;
}

/// Whether `work()` and the end of the session that it has then go well in a forked child.
template <class Work>
bool goes_well_in_child(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    if (Session* session = Session::current()) session->finish(Ending::finalize);
    ::_exit(0);
  }
  int status = 1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace tracer::test
