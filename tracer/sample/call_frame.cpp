// SPDX-License-Identifier: BSD-3-Clause
// See call_frame.hpp.
#include "tracer/sample/call_frame.hpp"

#include <cstring>

namespace tracer::sample {
namespace {

/// Reads [at, end), and what is beyond as zeros.
class Bytes {
 public:
  Bytes(const std::uint8_t* at, const std::uint8_t* end) noexcept : at_(at), end_(end) {}
  bool more() const noexcept { return at_ < end_; }
  bool good() const noexcept { return good_; }
  const std::uint8_t* at() const noexcept { return at_; }

  template <typename T>
  T fixed() noexcept {
    T value{};
    if (const std::uint8_t* from = take(sizeof value)) std::memcpy(&value, from, sizeof value);
    return value;
  }
  std::uint64_t unsigned_leb() noexcept { return leb(false); }
  std::int64_t signed_leb() noexcept { return static_cast<std::int64_t>(leb(true)); }
  const std::uint8_t* take(std::uint64_t count) noexcept {
    if (count > static_cast<std::uint64_t>(end_ - at_)) {
      good_ = false;
      at_ = end_;
      return nullptr;
    }
    at_ += count;
    return at_ - count;
  }
  Expression expression() noexcept {
    const std::uint64_t size = unsigned_leb();
    const std::uint8_t* from = take(size);
    return from != nullptr ? Expression{from, from + size} : Expression{};
  }

 private:
  std::uint64_t leb(bool is_signed) noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = fixed<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) != 0) continue;
      if (is_signed && (byte & 0x40) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
      return value;
    }
    good_ = false;
    return value;
  }
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  bool good_ = true;
};

/// Bytes of a pointer of that encoding (DW_EH_PE_*); 0 not known.
std::size_t size_of_pointer(std::uint8_t encoding) noexcept {
  switch (encoding & 0x0f) {
    case 0x00:  // absptr
    case 0x04:
    case 0x0c:
      return 8;
    case 0x02:
    case 0x0a:
      return 2;
    case 0x03:
    case 0x0b:
      return 4;
    default:
      return 0;
  }
}

/// A common information entry.
struct Common {
  std::uint64_t code_factor = 1;
  std::int64_t data_factor = 1;
  std::size_t return_register = 0;
  std::uint8_t pointers = 0;  ///< encoding
  bool is_signal = false, has_augmentation = false;
  const std::uint8_t *begin = nullptr, *end = nullptr;  ///< instructions
};

/// The bytes of an entry behind its length; empty for those of 64-bit lengths.
Bytes entry_at(const std::uint8_t* at) noexcept {
  std::uint32_t length = 0;
  std::memcpy(&length, at, sizeof length);
  at += sizeof length;
  return length == 0xffffffff ? Bytes(at, at) : Bytes(at, at + length);
}

bool read_augmentation(Bytes& in, const char* letters, Common& common) noexcept {
  for (; *letters != 0; ++letters) {
    switch (*letters) {
      case 'R':
        common.pointers = in.fixed<std::uint8_t>();
        break;
      case 'L':
        in.take(1);
        break;
      case 'P': {
        const std::size_t size = size_of_pointer(in.fixed<std::uint8_t>());
        if (size == 0) return false;
        in.take(size);
        break;
      }
      case 'S':
        common.is_signal = true;
        break;
      case 'B':  // addresses are signed with key B (AArch64)
      default:
        return false;
    }
  }
  return in.good();
}

bool read_common(const std::uint8_t* at, Common& common) noexcept {
  Bytes in = entry_at(at);
  in.take(4);  // id
  const auto version = in.fixed<std::uint8_t>();
  const auto* letters = reinterpret_cast<const char*>(in.at());
  bool has_end = false;
  while (in.more() && !has_end) has_end = in.fixed<std::uint8_t>() == 0;
  if (!has_end) return false;
  if (version != 1 && version != 3) return false;
  common.code_factor = in.unsigned_leb();
  common.data_factor = in.signed_leb();
  common.return_register = version == 1 ? in.fixed<std::uint8_t>() : in.unsigned_leb();
  common.has_augmentation = *letters == 'z';
  if (common.has_augmentation) {
    const std::uint64_t size = in.unsigned_leb();
    const std::uint8_t* from = in.take(size);
    if (from == nullptr) return false;
    Bytes data(from, from + size);
    if (!read_augmentation(data, letters + 1, common)) return false;
  } else if (*letters != 0) {
    return false;
  }
  common.begin = in.at();
  std::uint32_t length = 0;
  std::memcpy(&length, at, sizeof length);
  common.end = at + 4 + length;
  return in.good() && common.return_register < register_count;
}

/// Executes call frame instructions up to the one that is looked for.
class Machine {
 public:
  Machine(const Common& common, std::uint64_t wanted) noexcept : common_(common), wanted_(wanted) {}
  Row& row() noexcept { return row_; }

  /// `initial`: what DW_CFA_restore goes back to; nullptr while the initial instructions run.
  bool run(const std::uint8_t* begin, const std::uint8_t* end, const Row* initial) noexcept {
    Bytes in(begin, end);
    initial_ = initial;
    while (in.more() && in.good() && location_ <= wanted_) {
      const auto instruction = in.fixed<std::uint8_t>();
      const unsigned low = instruction & 0x3f;
      bool known = true;
      switch (instruction >> 6) {
        case 1:
          advance(low);
          break;
        case 2:
          known = set(low, {Rule::at_offset, scaled(static_cast<std::int64_t>(in.unsigned_leb())), {}});
          break;
        case 3:
          known = restore(low);
          break;
        default:
          known = extended(low, in);
      }
      if (!known) return false;
    }
    return in.good();
  }

 private:
  static constexpr std::size_t most_remembered = 2;

  /// As processors multiply: what overflows leads nowhere.
  std::int64_t scaled(std::int64_t factored) const noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(factored) *
                                     static_cast<std::uint64_t>(common_.data_factor));
  }
  void advance(std::uint64_t delta) noexcept { location_ += delta * common_.code_factor; }
  bool set(std::uint64_t which, const Rule& rule) noexcept {
    if (which < register_count) row_.rules[which] = rule;  // others are of no use for walking
    return true;
  }
  bool restore(std::uint64_t which) noexcept {
    if (initial_ == nullptr) return false;
    return which >= register_count || set(which, initial_->rules[which]);
  }
  bool define_cfa(std::uint64_t which, std::int64_t offset) noexcept {
    if (which >= register_count) return false;
    row_.cfa_register = which;
    row_.cfa = {Rule::at_offset, offset, {}};
    return true;
  }
  bool remember() noexcept {
    if (remembered_count_ == most_remembered) return false;
    remembered_[remembered_count_++] = row_;
    return true;
  }
  bool recall() noexcept {
    if (remembered_count_ == 0) return false;
    row_ = remembered_[--remembered_count_];
    return true;
  }

  bool extended(unsigned code, Bytes& in) noexcept {
    std::uint64_t which = 0;
    switch (code) {
      case 0x00:  // nop
        return true;
      case 0x02:
        advance(in.fixed<std::uint8_t>());
        return true;
      case 0x03:
        advance(in.fixed<std::uint16_t>());
        return true;
      case 0x04:
        advance(in.fixed<std::uint32_t>());
        return true;
      case 0x06:
        return restore(in.unsigned_leb());
      case 0x0a:
        return remember();
      case 0x0b:
        return recall();
      case 0x0c:  // def_cfa
        which = in.unsigned_leb();
        return define_cfa(which, static_cast<std::int64_t>(in.unsigned_leb()));
      case 0x0d:  // def_cfa_register
        return define_cfa(in.unsigned_leb(), row_.cfa.offset);
      case 0x0e:  // def_cfa_offset
        row_.cfa.offset = static_cast<std::int64_t>(in.unsigned_leb());
        return true;
      case 0x0f:
        row_.cfa = {Rule::value_of_expression, 0, in.expression()};
        return true;
      case 0x12:  // def_cfa_sf
        which = in.unsigned_leb();
        return define_cfa(which, scaled(in.signed_leb()));
      case 0x13:
        row_.cfa.offset = scaled(in.signed_leb());
        return true;
      case 0x2e:  // GNU_args_size
        in.unsigned_leb();
        return true;
      default:
        return rule_of(code, in);
    }
  }

  bool rule_of(unsigned code, Bytes& in) noexcept {
    if (code < 0x05 || code > 0x16) return false;
    const std::uint64_t which = in.unsigned_leb();
    switch (code) {
      case 0x05:
        return set(which, {Rule::at_offset, scaled(static_cast<std::int64_t>(in.unsigned_leb())), {}});
      case 0x07:
        return set(which, {Rule::undefined, 0, {}});
      case 0x08:
        return set(which, {Rule::same, 0, {}});
      case 0x09: {
        const std::uint64_t other = in.unsigned_leb();
        return other < register_count && set(which, {Rule::in_register, static_cast<std::int64_t>(other), {}});
      }
      case 0x10:
        return set(which, {Rule::at_expression, 0, in.expression()});
      case 0x11:
        return set(which, {Rule::at_offset, scaled(in.signed_leb()), {}});
      case 0x14:
        return set(which, {Rule::value_of_offset, scaled(static_cast<std::int64_t>(in.unsigned_leb())), {}});
      case 0x15:
        return set(which, {Rule::value_of_offset, scaled(in.signed_leb()), {}});
      case 0x16:
        return set(which, {Rule::value_of_expression, 0, in.expression()});
      default:
        return false;
    }
  }

  const Common& common_;
  std::uint64_t wanted_, location_ = 0;
  Row row_;
  const Row* initial_ = nullptr;
  std::array<Row, most_remembered> remembered_;
  std::size_t remembered_count_ = 0;
};

}  // namespace

bool read_call_frame(const void* fde, std::uint64_t offset, CallFrame& found) noexcept {
  const auto* at = static_cast<const std::uint8_t*>(fde);
  Bytes in = entry_at(at);
  const std::uint8_t* common_field = in.at();
  const auto distance = in.fixed<std::uint32_t>();
  Common common;
  if (distance == 0 || !in.good() || !read_common(common_field - distance, common)) return false;
  const std::size_t pointer = size_of_pointer(common.pointers);
  if (pointer == 0) return false;
  in.take(pointer);  // where the function begins
  found.size = pointer == 8   ? in.fixed<std::uint64_t>()
               : pointer == 4 ? in.fixed<std::uint32_t>()
                              : in.fixed<std::uint16_t>();
  if (common.has_augmentation) in.take(in.unsigned_leb());
  if (!in.good()) return false;
  std::uint32_t length = 0;
  std::memcpy(&length, at, sizeof length);
  Machine machine(common, offset);
  if (!machine.run(common.begin, common.end, nullptr)) return false;
  const Row initial = machine.row();
  if (!machine.run(in.at(), at + 4 + length, &initial)) return false;
  found.row = machine.row();
  found.return_register = common.return_register;
  found.is_signal = common.is_signal;
  return true;
}

bool evaluate(const Expression& expression, const FrameState& frame, std::uint64_t pushed, const StackBounds& bounds,
              std::uint64_t& value) noexcept {
  std::array<std::uint64_t, 16> stack{pushed};
  std::size_t depth = 1;
  Bytes in(expression.begin, expression.end);
  while (in.more() && in.good()) {
    const auto code = in.fixed<std::uint8_t>();
    if (code >= 0x30 && code <= 0x4f) {  // lit0 to lit31
      if (depth == stack.size()) return false;
      stack[depth++] = code - 0x30u;
      continue;
    }
    if (code >= 0x70 && code <= 0x8f) {  // breg0 to breg31
      const std::size_t which = code - 0x70u;
      if (depth == stack.size() || which >= register_count) return false;
      stack[depth++] = frame.registers[which] + static_cast<std::uint64_t>(in.signed_leb());
      continue;
    }
    std::uint64_t& top = stack[depth - 1];
    if (code == 0x06) {  // deref
      if (!bounds.has_word(top)) return false;
      std::memcpy(&top, reinterpret_cast<const void*>(top), sizeof top);
      continue;
    }
    if (code == 0x23) {  // plus_uconst
      top += in.unsigned_leb();
      continue;
    }
    if (depth < 2) return false;
    std::uint64_t& under = stack[--depth - 1];
    switch (code) {
      case 0x1a:
        under &= top;
        break;
      case 0x1c:
        under -= top;
        break;
      case 0x22:
        under += top;
        break;
      case 0x24:
        under = top < 64 ? under << top : 0;
        break;
      case 0x2a:  // ge
        under = static_cast<std::int64_t>(under) >= static_cast<std::int64_t>(top);
        break;
      default:
        return false;
    }
  }
  value = stack[depth - 1];
  return in.good();
}

}  // namespace tracer::sample
