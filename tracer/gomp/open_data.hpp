// SPDX-License-Identifier: BSD-3-Clause
// The `target data` constructs that a thread is in: GCC's call at the end of one does not say of which device it is.
#pragma once

namespace tracer::gomp {

/// Their devices, the innermost last. As libgomp's own list it has those that a jump has left.
class OpenData {
 public:
  static constexpr unsigned most = 8;  ///< of those nested deeper the devices are not known
  void begin(int device) noexcept {
    if (depth_ < most) devices_[depth_] = device;
    ++depth_;
  }
  /// The device of the innermost, which is over; `otherwise` where it is not known.
  int end(int otherwise) noexcept {
    if (depth_ == 0) return otherwise;
    --depth_;
    return depth_ < most ? devices_[depth_] : otherwise;
  }

 private:
  int devices_[most] = {};
  unsigned depth_ = 0;
};

}  // namespace tracer::gomp
