// SPDX-License-Identifier: BSD-3-Clause
// How many kernels `tracer top` says are running: by a device's records, and by what the host launched.
#include "catch.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "formats/raw/live_rings.hpp"
#include "tracer/cli/live/device_look.hpp"
#include "tracer/cli/live/host_devices.hpp"
#include "tracer/record.hpp"

using namespace tracer;
using namespace tracer::cli;

namespace {

constexpr std::uint64_t target_id = 5;

Record target(Ticks time, Endpoint endpoint) {
  return {time, RecordKind::target, endpoint, 1, 0, target_id, 0x401000};
}
Record submit(Ticks time, Endpoint endpoint) {
  return {time, RecordKind::target_submit, endpoint, 0, 16, 6, target_id};
}

}  // namespace

TEST_CASE("a kernel whose record comes after many looks was one kernel in the time that it ran") {
  KernelsRunning running;
  running.ended(1000, 2000, true);
  CHECK(running.average() == Approx(1));
  for (int i = 0; i < 5; ++i) {
    running.begin_look();
    CHECK(running.average() == 0);
  }
  running.ended(2000, 12000, true);
  CHECK(running.average() == Approx(1));
}

TEST_CASE("kernels that overlap add up, and the time between operations counts") {
  KernelsRunning running;
  running.ended(1000, 2000, true);
  running.begin_look();
  running.ended(2000, 3000, true);
  running.ended(2500, 3000, true);
  running.ended(3500, 4000, false);
  CHECK(running.average() == Approx(1500.0 / 2000));
  running.begin_look();
  running.ended(1500, 5000, true);  // of what was shown already there is no more to say
  CHECK(running.average() == Approx(1));
}

TEST_CASE("a kernel that goes on runs up to each look, by the host's launch") {
  HostDevices host;
  std::uint64_t position = 0;
  const auto look = [&](Ticks now, std::vector<Record> records) {
    raw::RingView view;
    view.first = position;
    view.head = position += records.size();
    view.records = std::move(records);
    host.begin_look(now);
    host.see(view);
    return host.devices().at(0);
  };
  CHECK(look(1000, {target(900, Endpoint::begin), submit(950, Endpoint::begin)}).open_time == Approx(50));
  const DeviceLook open = look(2000, {submit(1100, Endpoint::end)});
  CHECK(open.open_time == Approx(1000));
  CHECK(open.kernel_time == Approx(1000));
  const DeviceLook ended = look(3000, {target(2600, Endpoint::end)});
  CHECK(ended.open_time == 0);
  CHECK(ended.kernel_time == Approx(600));
}
