// SPDX-License-Identifier: BSD-3-Clause
// Any lines as the environment: settings are taken or complained about, nothing else.
#include <string>
#include <vector>

#include "tracer/base/config.hpp"
#include "tracer/base/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lines = tracer::split(std::string_view{reinterpret_cast<const char*>(data), size}, '\n');
  std::vector<const char*> environment;
  for (const std::string& line : lines) environment.push_back(line.c_str());
  environment.push_back(nullptr);
  const tracer::Config config = tracer::read_config(environment.data());
  for (const std::string& complaint : config.complaints) tracer::shown_lines(complaint);
  return 0;
}
