// SPDX-License-Identifier: BSD-3-Clause
// Numbers of an index as bytes, and back.
#pragma once

#include "tracer/base/packed_numbers.hpp"

namespace tracer::index {

using tracer::BytesIn;
using tracer::put_number;
using tracer::put_word;

}  // namespace tracer::index
