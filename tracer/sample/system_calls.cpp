// SPDX-License-Identifier: BSD-3-Clause
// See system_calls.hpp.
#include "tracer/sample/system_calls.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstddef>

namespace tracer::sample {
namespace {

constexpr std::size_t most_known = 1 << 14;  ///< places; programs have few from which they call the kernel often

/// The `count` bytes before `address`; false: they are not there.
template <std::size_t count>
bool read_before(std::uint64_t address, std::array<unsigned char, count>& bytes) {
  if (address < count) return false;
  iovec mine{bytes.data(), count}, code{reinterpret_cast<void*>(address - count), count};
  return ::process_vm_readv(::getpid(), &mine, 1, &code, 1, 0) == static_cast<ssize_t>(count);
}

bool is_behind_system_call(std::uint64_t address) {
#ifdef __x86_64__
  std::array<unsigned char, 2> code{};
  return read_before(address, code) && code[0] == 0x0f && code[1] == 0x05;
#else
  (void)address;
  return false;
#endif
}

/// Behind a call: e8 with four bytes, or ff with a register or memory, two to seven bytes long.
bool is_behind_call(std::uint64_t address) {
  std::array<unsigned char, 7> code{};
  if (!read_before(address, code)) return false;
  if (code[2] == 0xe8) return true;
  for (std::size_t i = 0; i + 1 < code.size(); ++i)
    if (code[i] == 0xff && (code[i + 1] & 0x38) == 0x10) return true;
  return false;
}

template <class Ask>
bool known(std::unordered_map<std::uint64_t, bool>& all, std::uint64_t address, Ask ask) {
  if (const auto found = all.find(address); found != all.end()) return found->second;
  if (all.size() >= most_known) all.clear();
  return all[address] = ask(address);
}

}  // namespace

bool SystemCalls::has_caller(std::uint64_t address, std::uint64_t top) {
  return known(is_behind_call_, address, is_behind_system_call) && known(is_return_, top, is_behind_call);
}

}  // namespace tracer::sample
