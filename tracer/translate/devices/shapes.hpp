// SPDX-License-Identifier: BSD-3-Clause
// Attributes of kernels and copies from CUPTI alone: grid, block, registers, occupancy, pinned memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/journal.hpp"
#include "tracer/translate/definitions/defined_strings.hpp"
#include "tracer/translate/devices/definitions.hpp"

namespace tracer::translate {

template <class Definition>
inline std::uint32_t find_or_add(std::vector<Definition>& all, Definition definition) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const Definition& d) { return d.name == definition.name; });
  if (it != all.end()) return static_cast<std::uint32_t>(it - all.begin());
  all.push_back(std::move(definition));
  return static_cast<std::uint32_t>(all.size() - 1);
}

/// Many kernels have few shapes: each is defined once.
class Shapes {
 public:
  Shapes(const Journal& journal, Definitions& d, DeviceDefinitions& out) : journal_(journal), d_(d), out_(out) {}
  void take(const DeviceLocation& location, const DeviceOperation& operation);

 private:
  void kernel(const DeviceLocation& location, const DeviceOperation& operation);
  void attribute(std::uint32_t& ref, const char* name, const char* description, ValueType type);
  std::uint32_t string(const std::string& text);

  const Journal& journal_;
  Definitions& d_;
  DeviceDefinitions& out_;
  std::optional<DefinedStrings> strings_;  ///< from the first one that is needed
};

}  // namespace tracer::translate
