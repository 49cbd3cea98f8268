// SPDX-License-Identifier: BSD-3-Clause
// See samples_of_job.hpp. Parts come one after the other, and their threads get ascending numbers: what each has sorted
// by thread stays sorted.
#include "tracer/merge/samples_of_job.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "formats/samples/samples.hpp"
#include "tracer/base/units.hpp"
#include "tracer/error.hpp"

namespace tracer {
namespace {

Nanoseconds placed(Nanoseconds time, const std::vector<otf2::ClockOffset>& line) {
  return time + static_cast<Nanoseconds>(otf2::offset_at(line, time));
}

}  // namespace

std::uint32_t SamplesOfJob::string(const std::string& text) {
  const auto [known, is_new] = strings_.emplace(text, static_cast<std::uint32_t>(all_.strings.size()));
  if (is_new) all_.strings.push_back(text);
  return known->second;
}

std::uint32_t SamplesOfJob::frame(const samples::Frame& frame) {
  const FrameKey key{frame.function, frame.file, frame.module, frame.line, frame.origin};
  const auto [known, is_new] = frames_.emplace(key, static_cast<std::uint32_t>(all_.frames.size()));
  if (is_new) all_.frames.push_back(frame);
  return known->second;
}

/// Where the part's counters are among all; what a part has not counted stays unknown.
std::vector<std::size_t> SamplesOfJob::counters_of(const samples::SampleSet& part,
                                                   const std::vector<std::uint32_t>& strings) {
  std::vector<std::size_t> columns;
  std::vector<samples::Counter> counters = all_.counters;
  for (const samples::Counter& counter : part.counters) {
    const std::uint32_t name = strings[counter.name];
    const auto known = std::find_if(counters.begin(), counters.end(),
                                    [&](const samples::Counter& other) { return other.name == name; });
    columns.push_back(static_cast<std::size_t>(known - counters.begin()));
    if (known == counters.end()) counters.push_back({name, counter.nanoseconds});
  }
  const std::size_t before = all_.counters.size(), now = counters.size();
  if (now == before) return columns;
  if (now > samples::most_counters_of_set)
    throw Error("with its counters the job has more than " + std::to_string(samples::most_counters_of_set));
  std::vector<std::uint64_t> wider(all_.samples.size() * now, samples::not_counted);
  for (std::size_t s = 0; s < all_.samples.size(); ++s)
    std::copy_n(all_.values.begin() + static_cast<std::ptrdiff_t>(s * before), before,
                wider.begin() + static_cast<std::ptrdiff_t>(s * now));
  all_.values = std::move(wider);
  all_.counters = std::move(counters);
  return columns;
}

SampledThreads SamplesOfJob::add(const std::filesystem::path& directory, const std::vector<otf2::ClockOffset>& clock) {
  const std::filesystem::path file = directory / samples::file_name;
  if (!std::filesystem::exists(file)) return {};
  const samples::SampleSet part = samples::read(file);
  std::vector<std::uint32_t> strings, frames, stacks;
  for (const std::string& text : part.strings) strings.push_back(string(text));
  const std::vector<std::size_t> columns = counters_of(part, strings);
  if (all_.period == 0) all_.period = part.period;
  if (!part.samples.empty()) {
    shortest_ = longest_ == 0 ? part.period : std::min(shortest_, part.period);
    longest_ = std::max(longest_, part.period);
    processor_time_ += static_cast<double>(part.period) * static_cast<double>(part.samples.size());
  }
  all_.lost += part.lost;
  for (const samples::Frame& f : part.frames)
    frames.push_back(frame({strings[f.function], strings[f.file], strings[f.module], f.line, f.origin}));
  for (std::vector<std::uint32_t> stack : part.stacks) {
    for (std::uint32_t& f : stack) f = frames[f];
    const auto [known, is_new] = stacks_.emplace(stack, static_cast<std::uint32_t>(all_.stacks.size()));
    if (is_new) all_.stacks.push_back(std::move(stack));
    stacks.push_back(known->second);
  }
  SampledThreads threads;
  for (const samples::Sample& sample : part.samples) threads[sample.thread] = 0;
  for (const samples::Pause& pause : part.pauses) threads[pause.thread] = 0;
  for (auto& [own, number] : threads) number = next_thread_++;

  for (std::size_t s = 0; s < part.samples.size(); ++s) {
    samples::Sample& sample = all_.samples.emplace_back(part.samples[s]);
    sample.time = placed(sample.time, clock);
    sample.thread = threads[sample.thread];
    sample.stack = stacks[sample.stack];
    const std::size_t row = all_.values.size();
    all_.values.resize(row + all_.counters.size(), samples::not_counted);
    for (std::size_t c = 0; c < columns.size(); ++c)
      all_.values[row + columns[c]] = part.values[s * columns.size() + c];
  }
  for (const samples::Pause& pause : part.pauses)
    all_.pauses.push_back(
        {placed(pause.begin, clock), placed(pause.end, clock), threads[pause.thread], pause.preempted});
  return threads;
}

void SamplesOfJob::write(const std::filesystem::path& directory) {
  if (next_thread_ == 1) return;
  if (!all_.samples.empty())
    all_.period = static_cast<std::uint64_t>(std::llround(processor_time_ / static_cast<double>(all_.samples.size())));
  samples::write(all_, directory / samples::file_name);
}

std::string SamplesOfJob::periods_text() const {
  constexpr double noticed = 1.1;
  if (static_cast<double>(longest_) <= noticed * static_cast<double>(shortest_)) return {};
  return "samples stand for " + duration_text(shortest_) + " of processor time in one process and for " +
         duration_text(longest_) + " in another: times and shares of several processes are rough";
}

}  // namespace tracer
