// SPDX-License-Identifier: BSD-3-Clause
// Code without symbols in samples: files that were stripped, code that was made while the program ran.
#pragma once

#include "tracer/samples.hpp"

namespace tracer::report {

/// What has no name but an address becomes one function for each file, "libfftw3f.so.3 (no symbols)", and one for code
/// without a file; where a path has one several times in succession, once.
void join_nameless(samples::SampleSet& set);

}  // namespace tracer::report
