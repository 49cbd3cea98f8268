// SPDX-License-Identifier: BSD-3-Clause
// The exception for invalid files and settings. It never reaches the traced program (tracer/entry.cpp
// catches it), and becomes a message on the command line.
#pragma once

#include <stdexcept>
#include <string>

namespace tracer {

/// `what()` is one line for the user: the error, its place, and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A word of the command line that says nothing valid, which the option parser cannot detect: ends with status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace tracer
