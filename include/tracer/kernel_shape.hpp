// SPDX-License-Identifier: BSD-3-Clause
// The launch configuration of a kernel, in the fields of a device record that otherwise only transfers use.
#pragma once

#include <cstdint>

namespace tracer {

struct KernelShape {
  std::uint32_t grid[3] = {}, block[3] = {};
  std::uint32_t registers = 0;                          ///< of each thread
  std::uint32_t static_shared = 0, dynamic_shared = 0;  ///< bytes of each block
  bool is_known() const noexcept { return block[0] != 0; }
};

/// DeviceRecord and DeviceOperation: source_address is the grid, destination_address block and registers, bytes the
/// shared memory. All 0: unknown.
template <class Operation>
void set_shape(Operation& operation, const KernelShape& s) noexcept {
  const auto part = [](std::uint64_t value, unsigned at) { return (value & 0xffff) << at; };
  operation.source_address = s.grid[0] | part(s.grid[1], 32) | part(s.grid[2], 48);
  operation.destination_address =
      part(s.block[0], 0) | part(s.block[1], 16) | part(s.block[2], 32) | part(s.registers, 48);
  operation.bytes = s.static_shared | std::uint64_t{s.dynamic_shared} << 32;
}

template <class Operation>
KernelShape shape_of(const Operation& operation) noexcept {
  const auto part = [](std::uint64_t value, unsigned at) { return static_cast<std::uint32_t>(value >> at & 0xffff); };
  const std::uint64_t grid = operation.source_address, block = operation.destination_address, shared = operation.bytes;
  KernelShape s;
  s.grid[0] = static_cast<std::uint32_t>(grid);
  s.grid[1] = part(grid, 32);
  s.grid[2] = part(grid, 48);
  s.block[0] = part(block, 0);
  s.block[1] = part(block, 16);
  s.block[2] = part(block, 32);
  s.registers = part(block, 48);
  s.static_shared = static_cast<std::uint32_t>(shared);
  s.dynamic_shared = static_cast<std::uint32_t>(shared >> 32);
  return s;
}

}  // namespace tracer
