// SPDX-License-Identifier: BSD-3-Clause
// A descriptor that is kept through the life of a program which may close every one that it has not opened.
#pragma once

#include <utility>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/file_identity.hpp"

namespace tracer {

/// Owns a descriptor above those that programs count on (moved_up()). Its number may since belong to a file of the
/// program: then it is neither used nor closed.
class OwnDescriptor {
 public:
  OwnDescriptor() = default;
  explicit OwnDescriptor(UniqueFd fd) noexcept
      : fd_(moved_up(std::move(fd))), identity_(fd_ ? FileIdentity::of(fd_.get()) : FileIdentity()) {}
  OwnDescriptor(OwnDescriptor&& other) noexcept { *this = std::move(other); }
  OwnDescriptor& operator=(OwnDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(identity_, other.identity_);
    return *this;
  }
  ~OwnDescriptor() { reset(); }
  /// -1: it is gone.
  int get() const noexcept { return identity_.is(FileIdentity::of(fd_.get())) ? fd_.get() : -1; }
  /// Whether there was one.
  explicit operator bool() const noexcept { return bool(identity_); }
  void reset() noexcept {
    if (get() < 0) static_cast<void>(fd_.release());
    fd_.reset();
    identity_ = {};
  }

 private:
  UniqueFd fd_;
  FileIdentity identity_;
};

}  // namespace tracer
