// SPDX-License-Identifier: BSD-3-Clause
// What the storm opens and closes: code that throws, so that its unwind tables are in use while it is there.
#include <stdexcept>

extern "C" __attribute__((visibility("default"))) int storm_function(int count) {
  int caught = 0;
  for (int i = 0; i < count / 100; ++i) {
    try {
      if (i % 2 == 0) throw std::runtime_error("here");
    } catch (const std::exception&) {
      ++caught;
    }
  }
  return caught;
}
