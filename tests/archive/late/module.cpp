// SPDX-License-Identifier: BSD-3-Clause
// A library that writes archives with the OTF2 library opened late, as libtracer.so does where OTF2 is a shared
// library.
#include <cstdio>
#include <exception>

#include "../sample.hpp"

extern "C" __attribute__((visibility("default"))) int write_sample(const char* directory) noexcept try {
  tracer::test::write_archive(tracer::test::make_sample(), directory);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
