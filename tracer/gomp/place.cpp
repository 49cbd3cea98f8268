// SPDX-License-Identifier: BSD-3-Clause
// Where in the program a call came from. Optimising compilers make a jump of a function's last call: the return address
// is then that of the function which called it, maybe this library's.
#include <cstdint>
#include <cstring>

#include "tracer/gomp/runtime.hpp"

namespace tracer::gomp {

#ifdef __x86_64__
namespace {

using Byte = unsigned char;

/// No code of a function that long is read.
constexpr std::uintptr_t longest_look = 8192;

/// The object's code and data.
class Code {
 public:
  explicit Code(const Caller& caller) noexcept : caller_(caller) {}

  bool has(std::uintptr_t at, unsigned bytes) const noexcept {
    return caller_.code.contains(at) && caller_.code.contains(at + bytes - 1) && caller_.can_read(at, bytes);
  }
  Byte byte(std::uintptr_t at) const noexcept { return *reinterpret_cast<const Byte*>(at); }
  std::uintptr_t relative(std::uintptr_t at) const noexcept {
    std::int32_t distance;
    std::memcpy(&distance, reinterpret_cast<const void*>(at), sizeof distance);
    return at + 4 + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(distance));
  }
  /// What a slot of the object's table of addresses holds; 0: it has none there.
  std::uintptr_t slot(std::uintptr_t at) const noexcept {
    if (!caller_.can_read(at, 8)) return 0;
    std::uintptr_t value;
    std::memcpy(&value, reinterpret_cast<const void*>(at), sizeof value);
    return value;
  }
  /// `jmp *slot` with what may stand before it; 0: there is no such.
  std::uintptr_t through_stub(std::uintptr_t at) const noexcept {
    if (!has(at, 16)) return 0;
    static constexpr Byte endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    if (std::memcmp(reinterpret_cast<const void*>(at), endbr, sizeof endbr) == 0) at += 4;
    if (byte(at) == 0xf2) ++at;
    return byte(at) == 0xff && byte(at + 1) == 0x25 ? slot(relative(at + 2)) : 0;
  }
  /// Where a direct call or jump to `target` ends up.
  std::uintptr_t resolved(std::uintptr_t target) const noexcept {
    const std::uintptr_t through = through_stub(target);
    return through != 0 ? through : target;
  }

 private:
  const Caller& caller_;
};

/// The function that the instruction before `from` calls; 0: it cannot be seen.
std::uintptr_t called_before(const Code& code, std::uintptr_t from) noexcept {
  if (!code.has(from - 6, 6)) return 0;
  if (code.byte(from - 5) == 0xe8) return code.resolved(code.relative(from - 4));
  if (code.byte(from - 6) == 0xff && code.byte(from - 5) == 0x15) return code.slot(code.relative(from - 4));
  return 0;
}

/// Behind the function's jump to the entry point; 0: none is seen.
std::uintptr_t jump_in(const Code& code, std::uintptr_t function, std::uintptr_t entry_point) noexcept {
  for (std::uintptr_t at = function; at < function + longest_look && code.has(at, 6); ++at) {
    if (code.byte(at) == 0xe9 && code.resolved(code.relative(at + 1)) == entry_point) return at + 5;
    if (code.byte(at) == 0xff && code.byte(at + 1) == 0x25 && code.slot(code.relative(at + 2)) == entry_point)
      return at + 6;
  }
  return 0;
}

}  // namespace

const void* place_of_call(const void* from, const void* entry_point, const void* function,
                          const Caller& caller) noexcept {
  const Code code(caller);
  const auto entry = reinterpret_cast<std::uintptr_t>(entry_point), at = reinterpret_cast<std::uintptr_t>(from);
  const std::uintptr_t called =
      function != nullptr ? reinterpret_cast<std::uintptr_t>(function) : called_before(code, at);
  if (called == 0 || called == entry) return from;
  const std::uintptr_t jump = caller.code.contains(called) ? jump_in(code, called, entry) : 0;
  if (jump != 0) return reinterpret_cast<const void*>(jump);
  return function != nullptr ? reinterpret_cast<const void*>(called + 1) : from;
}
#else
const void* place_of_call(const void* from, const void*, const void* function, const Caller&) noexcept {
  return function != nullptr ? static_cast<const char*>(function) + 1 : from;
}
#endif

}  // namespace tracer::gomp
