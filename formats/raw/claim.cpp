// SPDX-License-Identifier: BSD-3-Clause
// See claim.hpp.
#include "formats/raw/claim.hpp"

#include <unistd.h>
#include <atomic>

#include "formats/raw/segment_index.hpp"
#include "tracer/base/files/regular_file.hpp"

namespace tracer::raw {
namespace {

constinit std::atomic<std::uint64_t> own_run{0};

/// Not 0, and another one in a forked child.
std::uint64_t mark_of(RunId run) noexcept {
  const auto process = static_cast<std::uint64_t>(::getpid());
  return (run.high ^ (run.low << 1) ^ (process * 0x9e3779b97f4a7c15u)) | 1;
}

bool is_own_journal(const std::filesystem::path& path) noexcept {
  const RegularFile file = open_regular(path.c_str(), Links::refuse);
  FileHeader header{};
  return file && read_at(file.fd.get(), &header, sizeof header, 0) && is_own(header.run);
}

}  // namespace

void remember_own(RunId run) noexcept {
  own_run.store(mark_of(run));
}

bool is_own(RunId run) noexcept {
  return own_run.load() == mark_of(run);
}

bool is_locked_by_recorder(const std::filesystem::path& raw_directory) {
  const auto path = raw_directory / "journal";
  const RegularFile journal = open_regular(path.c_str(), Links::follow);
  return journal && use_of(journal.fd.get()) == FileUse::recorder && !is_own_journal(path);
}

bool is_unlocked(const std::filesystem::path& raw_directory) {
  const RegularFile journal = open_regular((raw_directory / "journal").c_str(), Links::follow);
  return journal && use_of(journal.fd.get()) == FileUse::free;
}

Claimed Claim::take(const std::filesystem::path& raw_directory, const std::function<void()>& waiting) {
  const auto journal = raw_directory / "journal";
  const bool own = is_own_journal(journal);
  auto got = lock_.take(journal, own, false);
  if (got == ConverterLock::Got::in_use) {
    if (!own && use_of(lock_.fd()) == FileUse::recorder) return Claimed::recorded;
    if (waiting) waiting();
    got = lock_.take(journal, own, true);
  }
  return got == ConverterLock::Got::removed ? Claimed::gone : Claimed::yes;
}

}  // namespace tracer::raw
