// SPDX-License-Identifier: BSD-3-Clause
// See samples.hpp.
#include "formats/raw/samples.hpp"

#include <cstring>
#include <fstream>
#include <system_error>

namespace tracer::raw {
namespace {

constexpr std::size_t enough_for_a_write = 256 << 10;

bool is_sound(const SampleEntry& entry) noexcept {
  switch (entry.kind) {
    case SampleKind::sample:
      return entry.frames <= most_frames;
    case SampleKind::asked:
      return entry.frames >= asked_words && entry.frames <= most_frames + asked_words;
    case SampleKind::counted:
      return entry.reason <= most_counters && entry.reason <= entry.frames &&
             entry.frames <= most_frames + entry.reason;
    case SampleKind::counters:
      return entry.frames <= most_counters;
    case SampleKind::switched_out:
    case SampleKind::switched_in:
    case SampleKind::lost:
    case SampleKind::source:
      return entry.frames == 0;
  }
  return false;
}

}  // namespace

void SampleWriter::create(OwnFile file, RunId run) {
  file_ = std::move(file);
  FileHeader header{};
  std::memcpy(header.magic, samples_magic, sizeof header.magic);
  header.version = format_version;
  header.run = run;
  file_.append(std::as_bytes(std::span(&header, 1)));
}

int SampleWriter::append(const SampleEntry& entry, std::span<const std::uint64_t> frames) {
  const auto head = std::as_bytes(std::span(&entry, 1)), body = std::as_bytes(frames);
  buffer_.insert(buffer_.end(), head.begin(), head.end());
  buffer_.insert(buffer_.end(), body.begin(), body.end());
  return buffer_.size() >= enough_for_a_write ? flush() : 0;
}

int SampleWriter::flush() {
  if (buffer_.empty()) return 0;
  const int error = file_.append(std::span<const std::byte>(buffer_));
  buffer_.clear();
  return error;
}

std::uint64_t read_samples(const std::filesystem::path& path,
                           const std::function<void(const SampleEntry&, std::span<const std::uint64_t>)>& visit) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return 0;
  std::ifstream file(path, std::ios::binary);
  FileHeader header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.magic, samples_magic, sizeof header.magic) != 0 || header.version != format_version) {
    return std::filesystem::file_size(path, error);
  }
  std::vector<std::uint64_t> frames(most_words);
  for (;;) {
    const auto at = static_cast<std::uint64_t>(file.tellg());
    SampleEntry entry{};
    const bool whole = static_cast<bool>(file.read(reinterpret_cast<char*>(&entry), sizeof entry)) && is_sound(entry) &&
                       static_cast<bool>(file.read(reinterpret_cast<char*>(frames.data()),
                                                   static_cast<std::streamsize>(entry.frames * sizeof(std::uint64_t))));
    if (!whole) {
      const std::uint64_t size = std::filesystem::file_size(path, error);
      return error || size < at ? 0 : size - at;
    }
    visit(entry, std::span<const std::uint64_t>(frames.data(), entry.frames));
  }
}

}  // namespace tracer::raw
