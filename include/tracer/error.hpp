// SPDX-License-Identifier: BSD-3-Clause
// The exception for files and settings that are not what they must be; it never crosses into the
// traced program (tracer/entry.cpp is the wall) and ends in a message at the command line.
#pragma once

#include <stdexcept>
#include <string>

namespace tracer {

/// `what()` is one line for the user: what is wrong, where, and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tracer
