// SPDX-License-Identifier: BSD-3-Clause
// zstd, as pages are compressed by it.
#pragma once

#include <cstdint>
#include <span>

namespace tracer::parquet {

/// zstd's frame of `body`; valid until the thread's next call. Throws tracer::Error.
std::span<const std::uint8_t> compressed(std::span<const std::uint8_t> body);

}  // namespace tracer::parquet
