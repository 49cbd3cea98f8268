// SPDX-License-Identifier: BSD-3-Clause
// See samples.hpp.
#include "formats/raw/samples.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <system_error>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/error.hpp"

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
  buffer_.reserve(enough_for_a_write + sizeof(SampleEntry) + most_words * sizeof(std::uint64_t));
  file_ = std::move(file);
  FileHeader header{};
  std::memcpy(header.magic, samples_magic, sizeof header.magic);
  header.version = format_version;
  header.run = run;
  if (const int error = file_.append(std::as_bytes(std::span(&header, 1)))) {
    file_.close();
    throw Error(system_message("cannot write " + file_.path().string(), error));
  }
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
  if (!is_there(path)) return 0;
  RegularInput file(path);
  FileHeader header{};
  if (!file.read(&header, sizeof header) || std::memcmp(header.magic, samples_magic, sizeof header.magic) != 0 ||
      header.version != format_version) {
    return file.size();
  }
  std::vector<std::uint64_t> frames(most_words);
  std::uint64_t at = sizeof header;
  for (;;) {
    SampleEntry entry{};
    const bool whole = file.read(&entry, sizeof entry) && is_sound(entry) &&
                       file.read(frames.data(), entry.frames * sizeof(std::uint64_t));
    if (!whole) return file.size() - std::min(at, file.size());
    at += sizeof entry + entry.frames * sizeof(std::uint64_t);
    visit(entry, std::span<const std::uint64_t>(frames.data(), entry.frames));
  }
}

}  // namespace tracer::raw
