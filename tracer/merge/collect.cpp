// SPDX-License-Identifier: BSD-3-Clause
// See collect.hpp. Raw parts are converted side by side, then all parts are read side by side: a rank often has one
// thread only. What fails beside others is done again alone, in the order of the parts.
#include "tracer/merge/collect.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tracer/base/text.hpp"
#include "tracer/convert/recover.hpp"
#include "tracer/convert/side_by_side.hpp"
#include "tracer/convert/verify.hpp"
#include "tracer/error.hpp"
#include "tracer/merge/clocks_of_job.hpp"
#include "tracer/merge/job_place.hpp"
#include "tracer/translate/parallel_for.hpp"

namespace tracer {
namespace fs = std::filesystem;
namespace {

struct Candidate {
  fs::path trace;
  bool is_converted = false;  ///< by this merge
  bool is_read = false;       ///< by the conversion, which reads back what it has written
  bool is_out = false;        ///< it is no part
  std::optional<PartOfJob> part;
  std::string why_out;             ///< "" where there is nothing to leave out
  std::vector<std::string> notes;  ///< what of it could not be read, or applied: the rest is joined
};

/// What is left of it are empty directories.
void leave_out_empty(Candidate& one) {
  if (one.trace.parent_path().filename() == "parts") ::rmdir(one.trace.c_str());
  one.is_out = true;
}

/// What fails there leaves it out.
template <class Step>
void attempt(Candidate& one, const Step& step) {
  try {
    return step();
  } catch (const NothingRecorded&) {
    leave_out_empty(one);
  } catch (const Error& error) {
    one.why_out = one.trace.string() + " cannot be joined: " + error.what();
  } catch (const std::bad_alloc&) {
    one.why_out = one.trace.string() + " cannot be joined: it needs more memory than there is";
  }
  one.is_out = true;
  one.part.reset();
}

void note_damage(Candidate& one, const ConvertResult& made) {
  one.is_converted = true;
  one.is_read = !made.was_complete && !made.raw_kept;
  if (!made.invalid_filter.empty()) one.notes.push_back(one.trace.string() + ": " + made.invalid_filter);
  for (const std::string& line : made.damage)
    one.notes.push_back("not all of " + one.trace.string() + " could be read: " + line);
}

bool is_raw(const fs::path& trace) {
  return is_unfinished(trace) || !has_archive(trace);
}

/// What is still raw.
void convert_candidate(Candidate& one, const MergeOptions& options, const ConvertOptions& conversion) {
  if (is_unfinished(one.trace)) {
    note_damage(one, recover(one.trace, conversion).archive);
  } else if (!has_archive(one.trace)) {
    if (is_being_recorded(one.trace)) {
      one.is_out = true;
      one.why_out = one.trace.string() + " is still being recorded; after that process has ended: " +
                    (options.job.empty() ? "merge again" : "tracer merge " + shell_word(options.job));
      return;
    }
    note_damage(
        one, options.convert_one ? options.convert_one(one.trace, conversion) : recover(one.trace, conversion).archive);
  }
}

void convert_raw_ones(std::vector<Candidate>& candidates, const MergeOptions& options) {
  std::vector<Candidate*> raw_ones;
  std::vector<fs::path> traces;
  std::set<fs::path> known;  // one may be named twice
  for (Candidate& one : candidates) {
    if (!is_raw(one.trace) || !known.insert(one.trace).second) continue;
    raw_ones.push_back(&one);
    traces.push_back(one.trace);
  }
  convert_side_by_side(traces, options.conversion, [&](std::size_t i, const ConvertOptions& conversion) {
    try {
      convert_candidate(*raw_ones[i], options, conversion);
    } catch (const NothingRecorded&) {
      leave_out_empty(*raw_ones[i]);
    }
  });
  ConvertOptions alone = options.conversion;
  alone.progress = {};
  for (Candidate& one : candidates)
    if (!one.is_out && !one.is_converted) attempt(one, [&] { convert_candidate(one, options, alone); });
}

/// All of its events, as every reader of the whole would have to, and what join() will read of it. `threads`: as of
/// ConvertOptions.
void read_candidate(Candidate& one, unsigned threads) {
  one.part = read_part_of_job(one.trace, !one.is_read);
  if (!one.is_read) verify_archive(one.trace, Events::all, threads);
}

/// Those that fail for want of memory may have it when they are read alone.
void read_side_by_side(std::vector<Candidate>& candidates, unsigned threads) {
  const auto at_once = static_cast<unsigned>(std::min<std::size_t>(threads, candidates.size()));
  if (at_once < 2) return;
  translate::parallel_for(candidates.size(), at_once, [&](std::size_t i) {
    Candidate& one = candidates[i];
    if (one.is_out) return;
    attempt(one, [&] {
      try {
        read_candidate(one, threads / at_once);
      } catch (const std::bad_alloc&) {
        one.part.reset();
      }
    });
  });
}

/// Why it does not go with the first one; "" it does.
std::string why_apart(const PartOfJob& part, const PartOfJob& first) {
  if (part.summary.event_chunk != first.summary.event_chunk)
    return part.directory.string() + " has chunks of another size than the others";
  if (part.summary.clock.resolution != first.summary.clock.resolution)
    return part.directory.string() + " counts time in other ticks than the others";
  return {};
}

/// What has another clock than the first part has its place by the wall clock, which archives of others may lack.
void leave_out_without_place(std::vector<PartOfJob>& parts, MergeResult& result) {
  std::vector<ClockOfPart> clocks;
  for (const PartOfJob& part : parts) clocks.push_back(part.clock);
  const auto domains = domains_of(clocks);
  if (std::none_of(domains.begin(), domains.end(), [](std::uint32_t domain) { return domain != 0; })) return;
  std::erase_if(parts, [&](const PartOfJob& part) {
    if (part.clock.has_realtime()) return false;
    result.left_out.push_back(part.directory.string() +
                              " does not have the time of day at which it begins, and the parts have several clocks");
    return true;
  });
}

}  // namespace

std::vector<PartOfJob> collect(const std::vector<fs::path>& traces, const MergeOptions& options, MergeResult& result) {
  std::vector<Candidate> candidates;
  for (const fs::path& trace : traces) candidates.emplace_back().trace = trace;
  convert_raw_ones(candidates, options);
  read_side_by_side(candidates, translate::threads_to_use(options.conversion.threads));
  std::vector<PartOfJob> parts;
  for (Candidate& one : candidates) {
    if (!one.is_out && !one.part) attempt(one, [&] { read_candidate(one, options.conversion.threads); });
    if (one.part) one.why_out = why_apart(*one.part, parts.empty() ? *one.part : parts.front());
    if (one.part && one.why_out.empty()) parts.push_back(std::move(*one.part));
    one.part.reset();
    for (std::string& line : one.notes) result.notes.push_back(std::move(line));
    if (!one.why_out.empty()) result.left_out.push_back(std::move(one.why_out));
  }
  leave_out_without_place(parts, result);
  return parts;
}

}  // namespace tracer
