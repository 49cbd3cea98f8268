// SPDX-License-Identifier: BSD-3-Clause
// Debug information that is compressed with zstd (-gz=zstd), for versions of libdw before 0.189, which support zlib
// only.
#pragma once

namespace tracer::translate {

/// A copy in memory of the ELF file that is open, with the sections decompressed that zstd has compressed: a descriptor
/// of the caller's. -1: there are none, or libzstd or the memory is not there, or the file is damaged.
int without_zstd(int fd) noexcept;

}  // namespace tracer::translate
