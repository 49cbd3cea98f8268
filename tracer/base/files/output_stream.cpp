// SPDX-License-Identifier: BSD-3-Clause
// See output_stream.hpp.
#include "tracer/base/files/output_stream.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace tracer {
namespace {

int flags_of(OutputStream::Begin begin) noexcept {
  switch (begin) {
    case OutputStream::Begin::new_only:
      return O_EXCL | O_NOFOLLOW;
    case OutputStream::Begin::at_end:
      return O_APPEND | O_NOFOLLOW | O_NONBLOCK;
    case OutputStream::Begin::anew:
      break;
  }
  return O_TRUNC;
}

}  // namespace

bool OutputStream::Buffer::write() noexcept {
  const std::string_view rest(pbase(), static_cast<std::size_t>(pptr() - pbase()));
  if (error == 0 && !write_whole(fd, rest)) error = errno;
  setp(pbase(), epptr());
  return error == 0;
}

OutputStream::Buffer::int_type OutputStream::Buffer::overflow(int_type next) {
  if (!text) {
    text = std::make_unique<char[]>(bytes);
    setp(text.get(), text.get() + bytes);
  }
  if (!write()) return traits_type::eof();
  return traits_type::eq_int_type(next, traits_type::eof()) ? traits_type::not_eof(next)
                                                            : sputc(traits_type::to_char_type(next));
}

OutputStream::OutputStream() : std::ostream{nullptr} {
  rdbuf(&buffer_);
}

OutputStream::OutputStream(const std::filesystem::path& path, Begin begin) : OutputStream{} {
  open(path, begin);
}

OutputStream::OutputStream(int fd) : OutputStream{} {
  buffer_.fd = fd;
}

OutputStream::~OutputStream() {
  buffer_.write();
}

void OutputStream::open(const std::filesystem::path& path, Begin begin) {
  constexpr mode_t as_the_umask_says = 0666;
  buffer_.own = UniqueFd{::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags_of(begin), as_the_umask_says)};
  buffer_.fd = buffer_.own.get();
  if (buffer_.own) return;
  buffer_.error = errno;
  setstate(failbit);
}

int OutputStream::close() {
  flush();
  const int fd = buffer_.own.release();
  if (fd >= 0 && ::close(fd) != 0 && errno != EINTR && buffer_.error == 0) buffer_.error = errno;
  buffer_.fd = -1;
  if (buffer_.error != 0) setstate(failbit);
  return buffer_.error;
}

}  // namespace tracer
