// SPDX-License-Identifier: BSD-3-Clause
// See samples.hpp.
#include "formats/samples/samples.hpp"

#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/output_stream.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/error.hpp"

namespace tracer::samples {
namespace {

namespace fs = std::filesystem;

constexpr char magic[8] = {'T', 'R', 'C', 'R', 'S', 'T', 'K', '3'};
constexpr char magic_without_counters[8] = {'T', 'R', 'C', 'R', 'S', 'T', 'K', '2'};
constexpr char magic_without_states[8] = {'T', 'R', 'C', 'R', 'S', 'T', 'K', '1'};

/// A sample as version 1 has it.
struct SampleWithoutState {
  Nanoseconds time;
  std::uint32_t thread, stack, processor, reserved;
};
static_assert(sizeof(Sample) == 32 && sizeof(SampleWithoutState) == 24);

std::vector<Sample> with_states(const std::vector<SampleWithoutState>& old) {
  std::vector<Sample> samples;
  samples.reserve(old.size());
  for (const SampleWithoutState& sample : old)
    samples.push_back(
        {.time = sample.time, .thread = sample.thread, .stack = sample.stack, .processor = sample.processor});
  return samples;
}

template <typename T>
void put(std::ostream& out, const T& value) {
  out.write(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
void put_all(std::ostream& out, const std::vector<T>& values) {
  put(out, static_cast<std::uint64_t>(values.size()));
  out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
}

/// Reads no more than the file has.
class Input {
 public:
  explicit Input(const fs::path& path) : name_(path.string()), file_(path), left_(file_.size()) {}
  void bytes(void* to, std::uint64_t count) {
    if (count > left_ || !file_.read(to, count)) throw Error(name_ + " is damaged: it ends too early");
    left_ -= count;
  }
  template <typename T>
  T one() {
    T value;
    bytes(&value, sizeof value);
    return value;
  }
  template <typename T>
  std::vector<T> all() {
    const auto count = one<std::uint64_t>();
    if (count > left_ / sizeof(T)) throw Error(name_ + " is damaged: it ends too early");
    std::vector<T> values(count);
    bytes(values.data(), count * sizeof(T));
    return values;
  }
  void require(bool holds, const char* else_it = "refers to what it does not hold") const {
    if (!holds) throw Error(name_ + " is damaged: it " + else_it);
  }
  std::uint64_t left() const noexcept { return left_; }
  std::uint64_t size() const noexcept { return file_.size(); }

 private:
  std::string name_;
  RegularInput file_;
  std::uint64_t left_ = 0;
};

void read_counters(Input& in, SampleSet& set) {
  set.counters = in.all<Counter>();
  in.require(set.counters.size() <= most_counters_of_set, "has more counters than a trace can have");
  for (const Counter& counter : set.counters) in.require(counter.name < set.strings.size());
  set.values = in.all<std::uint64_t>();
  const std::size_t each = set.counters.size();
  in.require(each == 0 ? set.values.empty()
                       : set.values.size() % each == 0 && set.values.size() / each == set.samples.size());
}

/// What a file's version has.
struct Version {
  bool has_states = false, has_counters = false;
};

/// What stands before the samples. `set` gets it.
Version read_words(Input& in, const fs::path& path, SampleSet& set) {
  char found[sizeof magic];
  in.bytes(found, sizeof found);
  const bool has_counters = std::memcmp(found, magic, sizeof magic) == 0;
  const bool has_states = has_counters || std::memcmp(found, magic_without_counters, sizeof magic) == 0;
  if (!has_states && std::memcmp(found, magic_without_states, sizeof magic) != 0)
    throw Error(path.string() + " is no file of samples");
  set.period = in.one<std::uint64_t>();
  set.lost = in.one<std::uint64_t>();
  const auto strings = in.one<std::uint64_t>();
  in.require(strings != 0 && strings <= in.left() / 8);
  set.strings.clear();
  for (std::uint64_t i = 0; i < strings; ++i) {
    const auto text = in.all<char>();
    set.strings.push_back(shown(std::string_view{text.data(), text.size()}));  // as those of archives are
  }
  set.frames = in.all<Frame>();
  for (const Frame& frame : set.frames)
    in.require(frame.function < strings && frame.file < strings && frame.module < strings);
  const auto stacks = in.one<std::uint64_t>();
  in.require(stacks <= in.left() / 8);
  for (std::uint64_t i = 0; i < stacks; ++i) {
    set.stacks.push_back(in.all<std::uint32_t>());
    in.require(set.stacks.back().size() <= most_frames_of_stack, "has a stack of more frames than there can be");
    for (const std::uint32_t frame : set.stacks.back()) in.require(frame < set.frames.size());
  }
  return {has_states, has_counters};
}

}  // namespace

fs::path unfinished(const fs::path& path) {
  return path.string() + ".part";
}

void write(const SampleSet& set, const fs::path& path) {
  const fs::path beside = unfinished(path);
  ::unlink(beside.c_str());
  OutputStream out(beside, OutputStream::Begin::new_only);
  out.write(magic, sizeof magic);
  put(out, set.period);
  put(out, set.lost);
  put(out, static_cast<std::uint64_t>(set.strings.size()));
  for (const std::string& text : set.strings) put_all(out, std::vector<char>(text.begin(), text.end()));
  put_all(out, set.frames);
  put(out, static_cast<std::uint64_t>(set.stacks.size()));
  for (const auto& stack : set.stacks) put_all(out, stack);
  put_all(out, set.samples);
  put_all(out, set.pauses);
  put_all(out, set.counters);
  put_all(out, set.values);
  int why = out.close();
  if (why == 0 && ::rename(beside.c_str(), path.c_str()) != 0) why = errno;
  if (why == 0) return;
  ::unlink(beside.c_str());
  throw Error(system_message("cannot write " + path.string(), why));
}

SampleSet read(const fs::path& path) {
  Input in(path);
  SampleSet set;
  const auto [has_states, has_counters] = read_words(in, path, set);
  set.samples = has_states ? in.all<Sample>() : with_states(in.all<SampleWithoutState>());
  for (const Sample& sample : set.samples) in.require(sample.stack < set.stacks.size());
  set.pauses = in.all<Pause>();
  if (has_counters) read_counters(in, set);
  return set;
}

SampleFile::SampleFile(const fs::path& path) : name_{path.string()} {
  Input in(path);
  has_states_ = read_words(in, path, words_).has_states;
  size_ = in.one<std::uint64_t>();
  in.require(size_ <= in.left() / bytes_of_sample(), "ends too early");
  RegularFile file = open_to_read(path);
  if (file.size != in.size()) changed();
  offset_ = in.size() - in.left();
  file_ = std::move(file.fd);
}

std::uint64_t SampleFile::bytes_of_sample() const noexcept {
  return has_states_ ? sizeof(Sample) : sizeof(SampleWithoutState);
}

void SampleFile::changed() const {
  throw Error(name_ + " has changed since it was opened");
}

std::vector<Sample> SampleFile::range(std::uint64_t first, std::uint64_t last) const {
  const auto count = static_cast<std::size_t>(last - first);
  const std::uint64_t at = offset_ + first * bytes_of_sample();
  if (has_states_) {
    std::vector<Sample> samples(count);
    if (!read_at(file_.get(), samples.data(), count * sizeof(Sample), at)) changed();
    return samples;
  }
  std::vector<SampleWithoutState> old(count);
  if (!read_at(file_.get(), old.data(), count * sizeof(SampleWithoutState), at)) changed();
  return with_states(old);
}

}  // namespace tracer::samples
