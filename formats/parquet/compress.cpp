// SPDX-License-Identifier: BSD-3-Clause
// See compress.hpp.
#include "formats/parquet/compress.hpp"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <string>

#include "formats/parquet/encode.hpp"
#include "tracer/error.hpp"

namespace tracer::parquet {
namespace {

/// Level 2 takes a fifth more time for two to four bytes of a hundred, level 3 half as much again for seven.
constexpr int level = 1;

struct FreeCompressor {
  void operator()(ZSTD_CCtx* compressor) const noexcept { ZSTD_freeCCtx(compressor); }
};

}  // namespace

std::span<const std::uint8_t> compressed(std::span<const std::uint8_t> body) {
  static thread_local const std::unique_ptr<ZSTD_CCtx, FreeCompressor> compressor{ZSTD_createCCtx()};
  static thread_local Bytes packed;
  packed.resize(std::max(packed.size(), ZSTD_compressBound(body.size())));
  const std::size_t got =
      ZSTD_compressCCtx(compressor.get(), packed.data(), packed.size(), body.data(), body.size(), level);
  if (ZSTD_isError(got) != 0) throw Error{std::string{"zstd: "} + ZSTD_getErrorName(got)};
  return {packed.data(), got};
}

}  // namespace tracer::parquet
