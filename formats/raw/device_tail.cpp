// SPDX-License-Identifier: BSD-3-Clause
// Walks over the headers of new segments, and reads those of devices.
#include "formats/raw/device_tail.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstddef>

#include "tracer/base/files/checksum.hpp"
#include "tracer/base/files/regular_file.hpp"

namespace tracer::raw {

DeviceTail::DeviceTail(const std::filesystem::path& raw_directory) noexcept
    : fd_{open_regular((raw_directory / "trace").c_str(), Links::follow).fd} {}

void DeviceTail::next(const std::function<void(std::span<const DeviceRecord>)>& take) {
  struct stat info {};
  if (!fd_ || ::fstat(fd_.get(), &info) != 0) return;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  SegmentHeader header{};
  while (at_ + sizeof header <= size && read_at(fd_.get(), &header, sizeof header, at_)) {
    const bool sound = header.magic == segment_magic &&
                       header.check == checksum(&header, offsetof(SegmentHeader, check)) &&
                       header.payload_bytes <= most_payload_bytes;
    if (!sound || at_ + sizeof header + header.payload_bytes > size) return;
    const auto payload = at_ + sizeof header;
    at_ = payload + header.payload_bytes;
    if (header.kind != SegmentKind::device_records || header.payload_bytes % sizeof(DeviceRecord) != 0) continue;
    records_.resize(header.payload_bytes / sizeof(DeviceRecord));
    if (!read_at(fd_.get(), records_.data(), header.payload_bytes, payload)) return;
    if (header.payload_check == checksum(records_.data(), header.payload_bytes)) take(records_);
  }
}

}  // namespace tracer::raw
