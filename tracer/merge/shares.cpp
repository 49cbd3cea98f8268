// SPDX-License-Identifier: BSD-3-Clause
// See shares.hpp.
#include "tracer/merge/shares.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "formats/raw/journal.hpp"
#include "formats/raw/reader.hpp"
#include "tracer/base/text.hpp"
#include "tracer/error.hpp"
#include "tracer/merge/job_place.hpp"
#include "tracer/merge/part_of_job.hpp"
#include "tracer/property_names.hpp"

namespace tracer {
namespace fs = std::filesystem;
namespace {

/// What sorts a process among the others: a raw trace gives the same order as the archive made of it.
struct Place {
  fs::path trace;
  std::string launcher;
  long rank = -1;
  std::uint64_t begin = 0;
};

Place place_in_archive(const fs::path& trace) {
  const PartOfJob part = read_part_of_job(trace);
  return {trace, part.launcher, part.rank, part.clock.begin()};
}

Place place_in_journal(const fs::path& trace) {
  const raw::JournalFile file = raw::read_journal(raw::raw_directory_of(trace) / "journal");
  const auto fact = [&](const char* name) {
    const auto found = file.journal.facts.find(properties::fact(name));
    return found == file.journal.facts.end() ? std::string{} : found->second;
  };
  Place place{trace, fact(properties::job_launcher), -1, 0};
  for (const char* name : {properties::mpi_world_rank, properties::job_rank})
    if (const auto rank = parse_number(fact(name)); rank && place.rank < 0) place.rank = static_cast<long>(*rank);
  if (!file.journal.clock.empty()) place.begin = file.journal.clock.front().realtime;
  return place;
}

Place place_of(const fs::path& trace) {
  // Twice, since another merger may have made the archive, and have removed the raw trace, between the two.
  for (int i = 0; i < 2; ++i) {
    try {
      return has_archive(trace) && !is_unfinished(trace) ? place_in_archive(trace) : place_in_journal(trace);
    } catch (const Error&) {
    }
  }
  return {trace, {}, -1, 0};
}

}  // namespace

std::vector<fs::path> share_of(const std::vector<fs::path>& traces, unsigned part, unsigned of) {
  std::vector<Place> places;
  std::map<std::string, std::uint64_t> began;  // by launcher
  for (const fs::path& trace : traces) {
    const Place& place = places.emplace_back(place_of(trace));
    const auto [known, is_new] = began.emplace(place.launcher, place.begin);
    if (!is_new) known->second = std::min(known->second, place.begin);
  }
  std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
    if ((a.rank >= 0) != (b.rank >= 0)) return a.rank >= 0;
    if (a.rank < 0) return a.trace < b.trace;
    return std::tie(began[a.launcher], a.launcher, a.rank, a.trace) <
           std::tie(began[b.launcher], b.launcher, b.rank, b.trace);
  });
  std::vector<fs::path> mine;
  const std::size_t begin = places.size() * (part - 1) / of, end = places.size() * part / of;
  for (std::size_t i = begin; i < end; ++i) mine.push_back(std::move(places[i].trace));
  return mine;
}

}  // namespace tracer
