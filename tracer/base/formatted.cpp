// SPDX-License-Identifier: BSD-3-Clause
// See formatted.hpp.
#include "tracer/base/formatted.hpp"

#include <locale.h>

#include <cstddef>
#include <cstdio>

namespace tracer {
namespace {

/// As long as it lives the calling thread has numbers as C has them: the process may be a program with a language.
class PlainNumbers {
 public:
  PlainNumbers() noexcept {
    static const locale_t plain = ::newlocale(LC_ALL_MASK, "C", nullptr);
    if (plain != nullptr) before_ = ::uselocale(plain);
  }
  ~PlainNumbers() {
    if (before_ != nullptr) ::uselocale(before_);
  }
  PlainNumbers(const PlainNumbers&) = delete;
  PlainNumbers& operator=(const PlainNumbers&) = delete;

 private:
  locale_t before_ = nullptr;
};

}  // namespace

std::string formatted_list(const char* format, std::va_list arguments) {
  const PlainNumbers plain;
  std::va_list again;
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, arguments);
  std::string text(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

std::string formatted(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::string text = formatted_list(format, arguments);
  va_end(arguments);
  return text;
}

}  // namespace tracer
