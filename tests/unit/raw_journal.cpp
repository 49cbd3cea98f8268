// SPDX-License-Identifier: BSD-3-Clause
// The journal: its entries come back, and a full disk leaves room for the last of them.
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "catch.hpp"
#include "formats/raw/journal.hpp"
#include "support/scratch.hpp"
#include "tracer/base/files/file.hpp"

using namespace tracer;

namespace {

const raw::RunId run_id{1, 2};

}  // namespace

TEST_CASE("a journal's entries come back") {
  const test::Scratch scratch;
  raw::JournalWriter writer;
  writer.create(OwnFile::create(scratch.path() / "journal"), run_id);
  RunInfo run;
  run.program = "/bin/app";
  run.arguments = {"app", "-n", "3"};
  run.clock = ClockKind::tsc;
  writer.run(run);
  writer.clock({1, 2, 3});
  writer.device_clock({1, 5, 6});
  writer.callback({"work", 20, 5, "always"});
  writer.entry_point({"ompt_get_task_info", 0, 1, ""});
  writer.place({0, 1});
  writer.setting({"TRACER", "on", "default"});
  writer.module({"/lib/a.so", "ab12", 0x1000, 0x2000, 0x1000, 0, 0});
  writer.module_unloaded(0x1000, 77);
  ChannelInfo channel;
  channel.id = 1;
  channel.os_thread_id = 4711;
  channel.processor_ns = 12345;
  channel.delay_ns = 67;
  writer.channel(channel);
  writer.fact("PROCESS_START_NS", "1");
  writer.fact("PROCESS_START_NS", "2");
  DeviceInfo device;
  device.number = 2;
  device.properties["name"] = "x";
  writer.device(device);
  device.finalized = 9;
  writer.device(device);
  writer.string(3, "phase");
  writer.message("hello");
  writer.counter("lost.threads", 4);
  writer.end(Ending::exit, 99);
  const auto file = raw::read_journal(scratch.path() / "journal");
  const Journal& journal = file.journal;
  CHECK(file.damage.empty());
  CHECK(journal.run.arguments == run.arguments);
  CHECK(journal.facts == std::map<std::string, std::string>{{"PROCESS_START_NS", "2"}});
  CHECK(journal.channels[1].processor_ns == 12345);
  CHECK(journal.channels[1].delay_ns == 67);
  CHECK(journal.run.clock == ClockKind::tsc);
  CHECK(journal.clock.at(0).realtime == 3);
  CHECK(journal.device_clock.at(0).device_time == 6);
  CHECK(journal.callbacks.at(0).note == "always");
  CHECK(journal.entry_points.size() == 1);
  CHECK(journal.places.at(0) == std::vector<std::int32_t>{0, 1});
  CHECK(journal.modules.at(0).unloaded == 77);
  REQUIRE(journal.channels.size() == 2);
  CHECK(journal.channels[1].os_thread_id == 4711);
  REQUIRE(journal.devices.size() == 1);
  CHECK(journal.devices[0].finalized == 9);
  CHECK(journal.strings.at(3) == "phase");
  CHECK(journal.messages.at(0) == "hello");
  CHECK(journal.counters.at("lost.threads") == 4);
  CHECK(journal.ending == Ending::exit);
}

TEST_CASE("room for the end of a run is reserved behind a journal of any length") {
  const test::Scratch scratch;
  raw::JournalWriter writer;
  writer.create(OwnFile::create(scratch.path() / "journal"), run_id);
  const auto has_room = [&] {
    constexpr std::uint64_t least = 128 << 10, block = 512;
    struct stat info {};
    REQUIRE(::stat((scratch.path() / "journal").c_str(), &info) == 0);
    return static_cast<std::uint64_t>(info.st_blocks) * block >= writer.size() + least;
  };
  if (!has_room()) SKIP_TEST("this file system reserves no room");
  const std::string value(4000, 'x');
  for (int i = 0; i < 300; ++i) {
    writer.fact("LONG", value);
    if (i % 20 == 0) CHECK(has_room());
  }
  {
    const raw::JournalWriter::Together together(writer);
    for (int i = 0; i < 100; ++i) writer.fact("LONG", value);
  }
  CHECK(has_room());
  CHECK(writer.error() == 0);
}
