// SPDX-License-Identifier: BSD-3-Clause
// mutate_records SCRATCH FIRST COUNT RAW...: converts each raw trace COUNT times with other changes to its records, as
// a faulty runtime or a damaged memory would leave them under right checksums, and says which rules of `tracer check`
// the archives break. A line for each archive that is not valid, then a summary. The n-th change of a trace is the same
// each time.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/raw/reader.hpp"
#include "formats/raw/writer.hpp"
#include "tracer/check/check.hpp"
#include "tracer/convert/convert.hpp"
#include "tracer/trace_source.hpp"

namespace {

namespace fs = std::filesystem;
using namespace tracer;
using Random = std::mt19937_64;
using Channels = std::vector<std::vector<Record>>;

Channels records_of(const TraceSource& source) {
  Channels all(source.journal().channels.size());
  for (ChannelId c = 0; c < all.size(); ++c) {
    const auto reader = source.records(c);
    for (auto batch = reader->next(); !batch.empty(); batch = reader->next())
      all[c].insert(all[c].end(), batch.begin(), batch.end());
  }
  return all;
}

std::uint64_t below(Random& random, std::uint64_t bound) {
  return bound == 0 ? 0 : random() % bound;
}

/// What stands in another record, a number near by, or any number.
template <class Number>
void change(Random& random, Number& value, Number other) {
  switch (below(random, 6)) {
    case 0:
      value = static_cast<Number>(random());
      break;
    case 1:
      value = 0;
      break;
    case 2:
      value = static_cast<Number>(~Number{0});
      break;
    case 3:
      value = static_cast<Number>(value ^ (Number{1} << below(random, 8 * sizeof(Number))));
      break;
    case 4:
      value = static_cast<Number>(value + 1 - 2 * below(random, 2));
      break;
    default:
      value = other;
  }
}

void change_one(Random& random, Channels& all) {
  std::vector<std::size_t> with_records;
  for (std::size_t c = 0; c < all.size(); ++c)
    if (!all[c].empty()) with_records.push_back(c);
  if (with_records.empty()) return;
  auto& records = all[with_records[below(random, with_records.size())]];
  auto& others = all[with_records[below(random, with_records.size())]];
  const std::size_t at = below(random, records.size());
  const Record other = others[below(random, others.size())];
  Record& record = records[at];
  switch (below(random, 13)) {
    case 0:
      return change(random, record.time, other.time);
    case 1:
      record.time = records[below(random, records.size())].time;
      return;
    case 2:
      record.kind = other.kind;
      return;
    case 3:
      record.kind = static_cast<RecordKind>(1 + below(random, static_cast<std::uint64_t>(RecordKind::count_) - 1));
      return;
    case 4:
      record.endpoint = static_cast<Endpoint>(below(random, 4));
      return;
    case 5:
      return change(random, record.sub, other.sub);
    case 6:
      return change(random, record.a, other.a);
    case 7:
      return change(random, record.b, other.b);
    case 8:
      return change(random, record.c, other.c);
    case 9:  // said twice
      records.insert(records.begin() + static_cast<std::ptrdiff_t>(at), Record{record});
      return;
    case 10:
      records.erase(records.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    case 11:
      record = other;
      return;
    default:
      std::swap(record, records[below(random, records.size())]);
  }
}

/// The reader drops what begins with the second half of a record, and kinds that nobody knows.
void tidy(Channels& all) {
  for (auto& records : all)
    while (!records.empty() && records.front().kind == RecordKind::more) records.erase(records.begin());
}

Channels changed(const Channels& original, std::uint64_t seed) {
  Random random(seed);
  Channels all = original;
  constexpr unsigned amounts[] = {1, 1, 2, 3, 5, 10, 30, 100};
  for (unsigned n = amounts[below(random, std::size(amounts))]; n > 0; --n) change_one(random, all);
  tidy(all);
  return all;
}

/// A raw trace of these records: the journal is the original's, and so are the devices' records.
void write(const raw::RawTrace& original, const fs::path& from, const Channels& all, const fs::path& to) {
  fs::create_directories(to);
  fs::copy_file(from / "journal", to / "journal");
  raw::FileHeader header{};
  std::ifstream(from / "trace", std::ios::binary).read(reinterpret_cast<char*>(&header), sizeof header);
  raw::TraceWriter writer;
  writer.create(OwnFile::create(to / "trace"), header.run);
  for (std::size_t c = 0; c < all.size(); ++c) {
    std::span<const Record> left(all[c]);
    for (std::uint64_t position = 0; !left.empty();) {
      std::size_t count = std::min<std::size_t>(left.size(), raw::most_segment_records);
      while (count < left.size() && count > 1 && left[count].kind == RecordKind::more) --count;
      writer.append(static_cast<ChannelId>(c), position, left.first(count), {});
      position += count;
      left = left.subspan(count);
    }
  }
  const auto devices = original.device_records();
  for (auto batch = devices->next(); !batch.empty(); batch = devices->next()) writer.append(batch);
  writer.close();
}

/// "" or the rules that do not hold.
std::string judge(const fs::path& directory) {
  ConvertOptions options;
  options.symbols = false;
  options.threads = 1;
  options.keep_raw = true;
  const ConvertResult converted = convert(directory / "raw", directory, options);
  const check::CheckReport report = check::check(directory / "traces.otf2");
  std::string broken;
  for (const check::RuleResult& result : report.findings)
    if (result.outcome == check::Outcome::violated)
      broken += " " + result.rule + " (" + result.first.location + " " + std::to_string(result.first.position) + ": " +
                result.first.what + ")";
  if (!broken.empty())
    for (const auto& [what, times] : converted.repairs) broken += "\n    " + std::to_string(times) + " " + what;
  return broken;
}

std::string rule_of(const std::string& broken) {
  std::string rules;
  for (std::size_t at = broken.find(" ("); at != broken.npos; at = broken.find(" (", at + 1))
    if (at >= 4 && broken[at - 4] == ' ') rules += broken.substr(at - 3, 3) + " ";
  return rules;
}

}  // namespace

int main(int count, char** words) try {
  if (count < 5) {
    std::fprintf(stderr, "usage: %s SCRATCH FIRST COUNT RAW...\n", words[0]);
    return 2;
  }
  const fs::path scratch = words[1];
  const auto first = std::strtoull(words[2], nullptr, 10), number = std::strtoull(words[3], nullptr, 10);
  std::uint64_t tried = 0, invalid = 0;
  std::map<std::string, std::uint64_t> rules;
  for (int w = 4; w < count; ++w) {
    const auto source = raw::open_trace(words[w]);
    const Channels original = records_of(*source);
    for (std::uint64_t seed = first; seed < first + number; ++seed) {
      ++tried;
      std::string broken;
      try {
        fs::remove_all(scratch / "trace");
        write(*source, raw::raw_directory_of(words[w]), changed(original, seed), scratch / "trace" / "raw");
        broken = judge(scratch / "trace");
      } catch (const std::exception& error) {
        broken = std::string(" no archive: ") + error.what();
      }
      if (broken.empty()) continue;
      ++invalid;
      ++rules[rule_of(broken)];
      std::printf("%s %llu:%s\n", words[w], static_cast<unsigned long long>(seed), broken.c_str());
      std::fflush(stdout);
    }
  }
  for (const auto& [rule, times] : rules) std::printf("%s%llu\n", rule.c_str(), static_cast<unsigned long long>(times));
  std::printf("%llu of %llu archives are not valid\n", static_cast<unsigned long long>(invalid),
              static_cast<unsigned long long>(tried));
  return invalid == 0 ? 0 : 1;
} catch (const std::exception& exception) {
  std::fprintf(stderr, "mutate_records: %s\n", exception.what());
  return 2;
}
