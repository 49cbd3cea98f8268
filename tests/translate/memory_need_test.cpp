// SPDX-License-Identifier: BSD-3-Clause
// What a conversion would take is known before it is begun.
#include "tracer/convert/memory_need.hpp"

#include <vector>

#include "catch.hpp"
#include "formats/raw/samples.hpp"
#include "support/memory_trace.hpp"
#include "support/scratch.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/ids.hpp"
#include "tracer/ompt_values.hpp"

using namespace tracer;

namespace {

constexpr std::uint64_t mib = 1 << 20;
constexpr Nanoseconds hour = 3'600'000'000'000;

/// A thread with `count` records of one kind, begins and ends in turn.
test::MemorySource thread_of(RecordKind kind, std::uint64_t count) {
  test::MemorySource source;
  auto& records = source.channel(0);
  Record record{};
  record.kind = kind;
  for (std::uint64_t i = 0; i < count; ++i) {
    record.endpoint = i % 2 == 0 ? Endpoint::begin : Endpoint::end;
    records.push_back(record);
  }
  source.journal_to_fill().channels[0].records = count;
  return source;
}

/// So many samples of ten frames, alike or each with a stack of its own.
void write_samples(const std::filesystem::path& file, std::uint64_t count, bool alike) {
  raw::SampleWriter writer;
  writer.create(OwnFile::create(file), {1, 2});
  raw::SampleEntry entry{};
  entry.kind = raw::SampleKind::sample;
  std::vector<std::uint64_t> frames(10, 0x500000);
  entry.frames = static_cast<std::uint16_t>(frames.size());
  int error = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!alike) frames.back() = i;
    error |= writer.append(entry, frames);
  }
  REQUIRE((error | writer.flush()) == 0);
  writer.close();
}

}  // namespace

TEST_CASE("a conversion whose tables do not fit into the memory that is left is put off") {
  const test::MemorySource regions = thread_of(RecordKind::implicit_task, 1'000'000);
  CHECK(what_lacks(regions, {1024 * mib, hour}).empty());
  CHECK(what_lacks(regions, {64 * mib, hour}).find("of memory, and 64.0 MiB are free") != std::string::npos);
}

TEST_CASE("tables of regions that fit into a file take no memory, those of tasks and locks do") {
  const auto lacks = [](RecordKind kind, std::uint64_t file) {
    return !what_lacks(thread_of(kind, 4'000'000), {64 * mib, hour, file}).empty();
  };
  CHECK(lacks(RecordKind::parallel_begin, 0));
  CHECK_FALSE(lacks(RecordKind::parallel_begin, 1024 * mib));
  CHECK(lacks(RecordKind::parallel_begin, 64 * mib));  // the rest is in memory
  CHECK_FALSE(lacks(RecordKind::implicit_task, 1024 * mib));
  CHECK(lacks(RecordKind::task_create, 1024 * mib));
}

TEST_CASE("switches of untied tasks take memory, more where the tasks are suspended") {
  const auto switches = [](std::uint16_t status, TaskId task) {
    test::MemorySource source = thread_of(RecordKind::task_schedule, 2'000'000);
    for (Record& record : source.channel(0)) {
      record.sub = status;
      record.b = task;
    }
    return source;
  };
  constexpr TaskId untied = make_id(0, 1) | untied_bit;
  constexpr std::uint64_t free = 64 * mib;
  CHECK(what_lacks(switches(task_status::switched, make_id(0, 1)), {free, hour}).empty());
  CHECK(what_lacks(switches(task_status::complete, untied), {free, hour}).empty());
  CHECK_FALSE(what_lacks(switches(task_status::switched, untied), {free, hour}).empty());
}

TEST_CASE("records that leave nothing in the tables need no memory, however many they are") {
  CHECK(what_lacks(thread_of(RecordKind::sync_region, 1'000'000), {1 * mib, hour}).empty());
}

TEST_CASE("a small trace is converted whatever the memory") {
  CHECK(what_lacks(thread_of(RecordKind::implicit_task, 10'000), {0, hour}).empty());
  // Of several at once each takes as much: no more of them are made than there is memory for.
  CHECK_FALSE(what_lacks(thread_of(RecordKind::implicit_task, 10'000), {0, hour, 0, true}).empty());
  CHECK(what_lacks(thread_of(RecordKind::implicit_task, 10'000), {64 * mib, hour, 0, true}).empty());
}

TEST_CASE("a conversion that would come to the limit of processor time is put off") {
  const test::MemorySource events = thread_of(RecordKind::sync_region, 1'000'000);
  CHECK(what_lacks(events, {1024 * mib, 1'000'000'000}).empty());
  CHECK(what_lacks(events, {1024 * mib, 10'000'000}).find("of processor time") != std::string::npos);
}

TEST_CASE("samples take memory, more where their stacks differ") {
  const test::Scratch scratch;
  test::MemorySource none;
  write_samples(scratch / "alike", 200'000, true);
  write_samples(scratch / "different", 200'000, false);
  CHECK(what_lacks(none, {64 * mib, hour}, {0, scratch / "alike"}).empty());
  CHECK(what_lacks(none, {64 * mib, hour}, {0, scratch / "different"}).find("of memory, and ") != std::string::npos);
  CHECK(what_lacks(none, {1024 * mib, hour}, {0, scratch / "different"}).empty());
  CHECK(what_lacks(none, {0, hour}, {0, scratch / "none"}).empty());
}

TEST_CASE("operations of devices take memory, by their records and by the host's") {
  constexpr std::uint64_t count = 500'000;
  const auto lacks = [](DeviceRecordKind kind, std::uint64_t memory) {
    test::MemorySource source;
    source.journal_to_fill().devices.emplace_back();
    DeviceRecord record{};
    record.kind = kind;
    source.device_.assign(count, record);
    return !what_lacks(source, {memory, hour}, {count, {}}).empty();
  };
  CHECK(lacks(DeviceRecordKind::kernel, 64 * mib));
  CHECK_FALSE(lacks(DeviceRecordKind::kernel, 1024 * mib));
  CHECK_FALSE(lacks(DeviceRecordKind::target_begin, 64 * mib));  // leaves nothing
  test::MemorySource host = thread_of(RecordKind::target_data_op, count);
  CHECK(what_lacks(host, {64 * mib, hour}).empty());  // no device: nothing is made of them
  host.journal_to_fill().devices.emplace_back();
  CHECK_FALSE(what_lacks(host, {64 * mib, hour}).empty());
}
