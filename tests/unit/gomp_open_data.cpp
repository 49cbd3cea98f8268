// SPDX-License-Identifier: BSD-3-Clause
// The devices of the `target data` constructs that a thread is in.
#include "catch.hpp"

#include "tracer/gomp/open_data.hpp"

using tracer::gomp::OpenData;

TEST_CASE("open data: the end of a construct has the device of its begin, and those nested too deep the default one") {
  OpenData open;
  constexpr int by_default = 99, host = -1, deep = static_cast<int>(OpenData::most) + 3;
  CHECK(open.end(by_default) == by_default);  // begun before recording
  for (int device = host; device < deep; ++device) open.begin(device);
  for (int device = deep; --device >= host;)
    CHECK(open.end(by_default) == (device < static_cast<int>(OpenData::most) - 1 ? device : by_default));
  open.begin(2);
  CHECK(open.end(by_default) == 2);
  CHECK(open.end(by_default) == by_default);
}
