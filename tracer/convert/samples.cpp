// SPDX-License-Identifier: BSD-3-Clause
// See samples.hpp.
#include "tracer/convert/samples.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/raw/samples.hpp"
#include "formats/samples/samples.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/formatted.hpp"
#include "tracer/base/runtime_names.hpp"
#include "tracer/convert/code_names.hpp"
#include "tracer/convert/code_of_no_module.hpp"
#include "tracer/error.hpp"
#include "tracer/translate/clock_fit.hpp"

namespace tracer {
namespace {

/// By the file's name: what is not the user's.
samples::Origin origin_of(const std::string& module) {
  const std::string_view path{module};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const char* tool : {"libtracer"})
    if (name.starts_with(tool)) return samples::Origin::tool;
  if (is_llvm_runtime(name) || is_gcc_runtime(name)) return samples::Origin::runtime;
  for (const char* runtime : {"libomptarget", "ld-linux", "libpthread"})
    if (name.starts_with(runtime)) return samples::Origin::runtime;
  return samples::Origin::user;
}

/// The interpreter's own code: between Python's functions it is of no interest.
bool is_of_python(const std::string& module) {
  const std::string_view path{module};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("python3") || name.starts_with("libpython3");
}

/// The C library, also where it has the functions for threads in a library of their own.
bool is_c_library(const std::string& module) {
  const std::string_view path{module};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const char* library : {"libc.so", "libc-", "libc.musl", "ld-musl", "libpthread"})
    if (name.starts_with(library)) return true;
  return false;
}

/// Functions of the C library that begin programs and threads: outermost, and nobody's business. Users may have
/// functions of their names but for those that are reserved; a program that is linked statically has the library's, of
/// which nobody knows the line.
bool starts_things(const translate::SourcePosition& position) {
  const std::string& function = position.function;
  if (position.module.empty()) return false;  // an interpreter's
  if (function == "_start" || function.starts_with("__libc_start") || function == "__clone" || function == "__clone3")
    return true;
  const bool is_named_so = function == "start_thread" || function == "clone" || function == "clone3";
  return is_named_so && (position.line == 0 || is_c_library(position.module));
}

struct VectorHash {
  std::size_t operator()(const std::vector<std::uint32_t>& values) const noexcept {
    std::size_t hash = values.size();
    for (const std::uint32_t value : values) hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash;
  }
};

class Builder {
 public:
  Builder(const Journal& journal, const translate::Symbolizer& symbolize)
      : journal_(journal),
        symbolize_(symbolize),
        clock_(journal.run.clock, journal.clock),
        on_line_(journal.run.clock, journal.clock),
        moved_(journal.moved_code) {
    for (MovedCode& moved : moved_) {
      moved.from = clock_(moved.from);
      if (moved.until != ~Ticks{0}) moved.until = clock_(moved.until);
    }
  }

  void entry(raw::SampleEntry entry, std::span<const std::uint64_t> frames) {
    entry.time = on_line_(entry.time);
    const std::uint32_t thread = thread_of(entry.channel);
    switch (entry.kind) {
      case raw::SampleKind::sample:
        set_.samples.push_back({.time = entry.time,
                                .thread = thread,
                                .stack = stack_of(frames, entry.time),
                                .processor = entry.processor});
        break;
      case raw::SampleKind::counted:
        counted_.push_back({set_.samples.size(), entry.channel, {frames.begin(), frames.begin() + entry.reason}});
        set_.samples.push_back({.time = entry.time,
                                .thread = thread,
                                .stack = stack_of(frames.subspan(entry.reason), entry.time),
                                .processor = entry.processor});
        break;
      case raw::SampleKind::counters:
        add_counters(entry.channel, frames);
        break;
      case raw::SampleKind::asked:
        set_.samples.push_back({.time = entry.time,
                                .wait_id = frames[1],
                                .thread = thread,
                                .stack = stack_of(frames.subspan(raw::asked_words), entry.time),
                                .processor = entry.processor,
                                .state = static_cast<std::uint16_t>(frames[0]),
                                .source = samples::Source::signal});
        break;
      case raw::SampleKind::source:
        set_.period = entry.reason;  // the last entry holds
        break;
      case raw::SampleKind::switched_out:
        open_[entry.channel] = {entry.time, 0, thread, entry.reason == raw::preempted ? 1u : 0u};
        break;
      case raw::SampleKind::switched_in:
        if (const auto open = open_.find(entry.channel); open != open_.end()) {
          open->second.end = entry.time;
          set_.pauses.push_back(open->second);
          open_.erase(open);
        }
        break;
      case raw::SampleKind::lost:
        set_.lost += entry.reason;
        // The thread may have gone on running. What is lost of signals are samples only.
        if (set_.period == 0) open_.erase(entry.channel);
        break;
    }
  }

  /// Counters whose values were left out, since there are too many.
  std::uint64_t counters_left_out() const noexcept { return counters_left_out_; }

  samples::SampleSet finish(std::uint64_t period, const CodeNames& names, Nanoseconds end) {
    if (set_.period == 0) set_.period = period;
    end_pauses(end);
    std::vector<std::uint64_t> addresses(addresses_.size());
    for (const auto& [address, index] : addresses_) addresses[index] = address & ~raw::frame_of_runtime;
    std::vector<translate::SourcePosition> positions =
        symbolize_ ? symbolize_(addresses) : std::vector<translate::SourcePosition>(addresses.size());
    // Interpreters' frames, and functions of Python itself, by the address.
    std::vector<bool> is_interpreter(addresses.size()), is_function(addresses.size());
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      is_interpreter[i] = is_of_python(positions[i].module);
      if (positions[i].module.empty()) is_function[i] = name_made_code(names, addresses[i], positions[i]);
    }
    frames_.resize(addresses.size());
    for (const auto& [address, index] : addresses_)
      frames_[index] = frames_of(addresses[index], positions[index], (address & raw::frame_of_runtime) != 0);
    const CodeOfNoModule other{journal_};
    std::vector<bool> is_nowhere(addresses.size());
    for (std::size_t i = 0; i < addresses.size(); ++i)
      is_nowhere[i] = symbolize_ && positions[i].module.empty() && positions[i].function.empty() &&
                      addresses[i] != raw::frame_of_kernel && !other.may_have(addresses[i]);
    set_.stacks.resize(stacks_.size());
    for (const auto& [stack, index] : stacks_) {
      // The kernel follows frame pointers also where code keeps none: the words that it finds there lead nowhere, and
      // what is around them is none of the stack's.
      std::size_t first = stack.empty() ? 0 : stack.size() - 1;
      while (first != 0 && !is_nowhere[stack[first - 1]]) --first;
      const auto begin = stack.begin() + static_cast<std::ptrdiff_t>(first);
      const bool has_functions = std::any_of(begin, stack.end(), [&](std::uint32_t i) { return is_function[i]; });
      for (std::size_t i = first; i < stack.size(); ++i)
        if (!has_functions || !is_interpreter[stack[i]])
          set_.stacks[index].insert(set_.stacks[index].end(), frames_[stack[i]].begin(), frames_[stack[i]].end());
    }
    sort();
    return std::move(set_);
  }

 private:
  static constexpr std::uint32_t left_out = ~std::uint32_t{0};
  /// The values of a sample's counters, in the order of its channel's.
  struct Counted {
    std::size_t sample;
    ChannelId channel;
    std::vector<std::uint64_t> values;
  };

  /// Those of threads that did not go on running while they were recorded.
  void end_pauses(Nanoseconds end) {
    for (auto& [channel, pause] : open_) {
      const bool has_ended = channel < journal_.channels.size() && journal_.channels[channel].end != 0;
      pause.end = has_ended ? std::min(end, clock_(journal_.channels[channel].end)) : end;
      if (pause.begin < pause.end) set_.pauses.push_back(pause);
    }
  }

  /// Whether it is a function of Python; other names are those that their makers gave.
  static bool name_made_code(const CodeNames& names, std::uint64_t address, translate::SourcePosition& position) {
    const std::string_view text = address != raw::frame_of_kernel ? names.find(address - 1) : std::string_view{};
    if (text.empty()) return false;
    CodeName name = parse_code_name(text);
    position.function = std::move(name.function);
    position.file = std::move(name.file);
    position.line = name.line;
    return name.is_python;
  }

  void add_counters(ChannelId channel, std::span<const std::uint64_t> ids) {
    std::vector<std::uint32_t>& columns = columns_[channel];
    columns.clear();
    for (const std::uint64_t id : ids) {
      const bool known = id < counters().size();
      const std::uint32_t name = string(known ? counters()[id].name : "counter " + std::to_string(id));
      const auto at = std::find_if(set_.counters.begin(), set_.counters.end(),
                                   [&](const samples::Counter& counter) { return counter.name == name; });
      columns.push_back(static_cast<std::uint32_t>(at - set_.counters.begin()));
      if (at != set_.counters.end()) continue;
      if (set_.counters.size() == samples::most_counters_of_set) {
        columns.back() = left_out;
        ++counters_left_out_;
        continue;
      }
      set_.counters.push_back({name, known && std::string_view{counters()[id].unit} == "ns" ? 1u : 0u});
    }
  }

  /// By thread; of each in order of time, which is that in which samples were noted.
  void sort() {
    const auto by_thread = [](const auto& a, const auto& b) { return a.thread < b.thread; };
    std::stable_sort(set_.pauses.begin(), set_.pauses.end(), [](const samples::Pause& a, const samples::Pause& b) {
      return std::tie(a.thread, a.begin) < std::tie(b.thread, b.begin);
    });
    std::vector<std::size_t> order(set_.samples.size()), place(order.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return set_.samples[a].thread < set_.samples[b].thread; });
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    std::stable_sort(set_.samples.begin(), set_.samples.end(), by_thread);
    set_.values.assign(set_.samples.size() * set_.counters.size(), samples::not_counted);
    for (const Counted& one : counted_) {
      const std::vector<std::uint32_t>& columns = columns_[one.channel];
      for (std::size_t i = 0; i < std::min(columns.size(), one.values.size()); ++i)
        if (columns[i] != left_out) set_.values[place[one.sample] * set_.counters.size() + columns[i]] = one.values[i];
    }
  }

  /// `frames`: innermost first.
  std::uint32_t stack_of(std::span<const std::uint64_t> frames, Nanoseconds time) {
    std::vector<std::uint32_t> stack;
    for (std::size_t i = frames.size(); i-- > 0;) {
      // All but the innermost are return addresses, and the symbolizer wants those.
      const bool is_innermost = i == 0 || frames[i - 1] == raw::frame_of_kernel;
      const std::uint64_t address =
          frames[i] == raw::frame_of_kernel ? raw::frame_of_kernel : moved(frames[i] + (is_innermost ? 1 : 0), time);
      stack.push_back(addresses_.emplace(address, static_cast<std::uint32_t>(addresses_.size())).first->second);
    }
    return stacks_.emplace(std::move(stack), static_cast<std::uint32_t>(stacks_.size())).first->second;
  }
  std::uint64_t moved(std::uint64_t address, Nanoseconds time) const {
    const std::uint64_t code = address & ~raw::frame_of_runtime;
    for (const MovedCode& move : moved_)
      if (code > move.begin && code <= move.end && time >= move.from && time < move.until)
        return (code + move.distance) | (address & raw::frame_of_runtime);
    return address;
  }
  std::uint32_t thread_of(ChannelId channel) const {
    return channel < journal_.channels.size() ? static_cast<std::uint32_t>(journal_.channels[channel].os_thread_id) : 0;
  }
  std::uint32_t string(const std::string& text) {
    if (text.empty()) return 0;
    const auto [at, is_new] = strings_.emplace(text, static_cast<std::uint32_t>(set_.strings.size()));
    if (is_new) set_.strings.push_back(text);
    return at->second;
  }
  /// More than one where the compiler put functions into one another there, outermost first.
  std::vector<std::uint32_t> frames_of(std::uint64_t address, const translate::SourcePosition& position,
                                       bool in_runtime) {
    std::vector<std::uint32_t> numbers;
    const auto add = [&](const translate::SourcePosition& one) {
      samples::Frame frame = frame_of(address, one);
      if (in_runtime && frame.origin == samples::Origin::user) frame.origin = samples::Origin::runtime;
      numbers.push_back(static_cast<std::uint32_t>(set_.frames.size()));
      set_.frames.push_back(frame);
    };
    if (position.frames.empty()) add(position);
    for (const translate::SourceFrame& one : position.frames) {
      translate::SourcePosition each = position;
      each.function = one.function;
      each.file = one.file;
      each.line = one.line;
      add(each);
    }
    return numbers;
  }
  samples::Frame frame_of(std::uint64_t address, const translate::SourcePosition& position) {
    samples::Frame frame;
    if (address == raw::frame_of_kernel) {
      frame.function = frame.module = string("[kernel]");
      frame.origin = samples::Origin::kernel;
      return frame;
    }
    std::string function = position.function;
    if (function.empty())
      function =
          position.module.substr(position.module.rfind('/') + 1) +
          formatted("@0x%llx", static_cast<unsigned long long>(position.module.empty() ? address : position.offset));
    frame.function = string(function);
    frame.file = string(position.file);
    frame.module = string(position.module);
    frame.line = position.line;
    const bool is_runtimes = !position.module.empty() && position.module == journal_.run.runtime_library;
    frame.origin = is_runtimes || starts_things(position) ? samples::Origin::runtime : origin_of(position.module);
    return frame;
  }

  const Journal& journal_;
  const translate::Symbolizer& symbolize_;
  translate::ClockFit clock_;
  translate::MonotonicOnLine on_line_;
  std::vector<MovedCode> moved_;  ///< its times in nanoseconds
  samples::SampleSet set_;
  std::unordered_map<std::uint64_t, std::uint32_t> addresses_;
  std::unordered_map<std::vector<std::uint32_t>, std::uint32_t, VectorHash> stacks_;
  std::unordered_map<std::string, std::uint32_t> strings_;
  std::vector<std::vector<std::uint32_t>> frames_;  ///< of each address
  std::map<ChannelId, samples::Pause> open_;
  std::map<ChannelId, std::vector<std::uint32_t>> columns_;  ///< where the set has the channel's counters; left_out
  std::uint64_t counters_left_out_ = 0;
  std::vector<Counted> counted_;
};

}  // namespace

namespace {

CodeNames names_of_code(const std::filesystem::path& map, std::vector<std::string>& damage) {
  try {
    return CodeNames{map};
  } catch (const Error& error) {
    damage.emplace_back(error.what());
    return CodeNames{{}};
  }
}

}  // namespace

std::uint64_t convert_samples(const std::filesystem::path& raw_directory, const std::filesystem::path& directory,
                              const Journal& journal, const translate::Symbolizer& symbolize, Nanoseconds end,
                              std::vector<std::string>& damage) {
  const auto file = raw_directory / "samples";
  if (!is_there(file)) return 0;
  Builder builder(journal, symbolize);
  try {
    const std::uint64_t left = raw::read_samples(
        file,
        [&](const raw::SampleEntry& entry, std::span<const std::uint64_t> frames) { builder.entry(entry, frames); });
    // A process that was killed leaves at most one entry that is cut off.
    if (left >= sizeof(raw::SampleEntry) + raw::most_words * sizeof(std::uint64_t))
      damage.push_back("the last " + std::to_string(left) + " bytes of " + file.string() + " are damaged");
  } catch (const Error& error) {
    damage.emplace_back(error.what());
    return 0;
  }
  if (builder.counters_left_out() != 0)
    damage.push_back(file.string() + " is damaged: it has more counters than a run can have");
  std::uint64_t rate = 0;
  for (const Setting& setting : journal.settings)
    if (setting.name == "TRACER_SAMPLE") rate = std::strtoull(setting.value.c_str(), nullptr, 10);
  const samples::SampleSet set =
      builder.finish(rate == 0 ? 0 : 1'000'000'000 / rate, names_of_code(raw_directory / raw::code_map, damage), end);
  if (set.samples.empty() && set.pauses.empty()) return 0;
  samples::write(set, directory / samples::file_name);
  samples::read(directory / samples::file_name);
  return set.samples.size();
}

// The clocks were read once in a second: what is much later is damage.
Nanoseconds last_sample(const std::filesystem::path& raw_directory, const Journal& journal) {
  constexpr Nanoseconds most_later = 10'000'000'000;
  const auto file = raw_directory / "samples";
  if (journal.clock.empty() || !is_there(file)) return 0;
  const Nanoseconds latest = journal.clock.back().monotonic + most_later;
  Nanoseconds last = 0;
  try {
    raw::read_samples(file, [&](const raw::SampleEntry& entry, std::span<const std::uint64_t>) {
      const bool is_sample = entry.kind == raw::SampleKind::sample || entry.kind == raw::SampleKind::counted ||
                             entry.kind == raw::SampleKind::asked;
      if (is_sample && entry.time <= latest) last = std::max(last, entry.time);
    });
  } catch (const Error&) {  // convert_samples() reports it
  }
  return last == 0 ? 0 : translate::MonotonicOnLine(journal.run.clock, journal.clock)(last);
}

}  // namespace tracer
