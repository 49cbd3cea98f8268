// SPDX-License-Identifier: BSD-3-Clause
// By the rules that NVIDIA's occupancy calculator has for all architectures since 7.0.
#include "tracer/translate/devices/occupancy.hpp"

#include <algorithm>
#include <cstdint>

#include "tracer/base/text.hpp"

namespace tracer::translate {
namespace {

/// A warp's registers are given out in units of so many, a block's shared memory in such.
constexpr std::uint64_t register_unit = 256, shared_unit = 128;
/// Of each block the system itself has so much since 8.0.
constexpr std::uint64_t shared_of_system = 1024;
/// No device has more: what a trace says beyond is damage, and unknown.
constexpr std::uint64_t most_threads = 1 << 20, most_of_a_warp = 1 << 10, most_of_a_unit = std::uint64_t{1} << 32;

std::uint64_t rounded(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t number(const std::map<std::string, std::string>& properties, const char* name) {
  const auto found = properties.find(name);
  const std::uint64_t value = found == properties.end() ? 0 : parse_number(found->second).value_or(0);
  return value <= most_of_a_unit ? value : 0;
}

}  // namespace

Occupancy occupancy(const KernelShape& shape, const std::map<std::string, std::string>& properties) {
  const auto most_warps = number(properties, "warps_per_compute_unit");
  const auto threads_per_warp = number(properties, "threads_per_warp");
  if (!shape.is_known() || most_warps == 0 || threads_per_warp == 0 || threads_per_warp > most_of_a_warp) return {};
  std::uint64_t threads = 1;
  for (const std::uint64_t size : shape.block) {
    threads *= std::clamp<std::uint64_t>(size, 1, most_threads + 1);
    if (threads > most_threads) return {};
  }
  const auto warps = (threads + threads_per_warp - 1) / threads_per_warp;
  std::uint64_t blocks = most_warps / warps;
  const char* limit = "warps";
  const auto bound = [&](std::uint64_t most, const char* name) {
    if (most >= blocks) return;
    blocks = most;
    limit = name;
  };
  if (const auto most = number(properties, "blocks_per_compute_unit")) bound(most, "blocks");
  if (const auto all = number(properties, "registers_per_compute_unit"); all && shape.registers)
    bound(all / (rounded(shape.registers * threads_per_warp, register_unit) * warps), "registers");
  const std::uint64_t shared = std::uint64_t{shape.static_shared} + shape.dynamic_shared;
  if (const auto all = number(properties, "shared_memory_per_compute_unit"); all && shared)
    bound(all / rounded(shared + shared_of_system, shared_unit), "shared memory");
  return {static_cast<unsigned>(100 * blocks * warps / most_warps), limit};
}

}  // namespace tracer::translate
