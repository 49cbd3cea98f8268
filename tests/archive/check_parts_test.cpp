// SPDX-License-Identifier: BSD-3-Clause
// Parts of archives under `tracer check`: what is said of them is what the check of the whole says of their times.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "formats/otf2/read/event_source.hpp"
#include "seed.hpp"
#include "tracer/convert/check_part.hpp"
#include "tracer/convert/trace_index.hpp"
#include "tracer/cut/part.hpp"
#include "tracer/error.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

using Found = std::tuple<std::string, std::uint64_t, std::uint64_t, std::string>;  // location, time, position, what
using ByRule = std::map<std::string, std::vector<Found>>;

/// Violations at events from one time to another.
ByRule places_of(const check::CheckReport& report, std::uint64_t from, std::uint64_t to) {
  ByRule found;
  for (const auto& rule : report.findings)
    for (const auto& place : rule.places)
      if (place.has_time && place.time >= from && place.time <= to)
        found[rule.rule].emplace_back(place.location, place.time, place.position, place.what);
  for (auto& rule : found) std::sort(rule.second.begin(), rule.second.end());
  return found;
}

/// Which of `all` are not among `others`.
ByRule without(const ByRule& all, const ByRule& others) {
  ByRule left;
  for (const auto& rule : all) {
    const auto found = others.find(rule.first);
    const std::vector<Found> none;
    const auto& there = found == others.end() ? none : found->second;
    std::vector<Found> more;
    std::set_difference(rule.second.begin(), rule.second.end(), there.begin(), there.end(), std::back_inserter(more));
    if (!more.empty()) left.emplace(rule.first, std::move(more));
  }
  return left;
}

std::string text_of(const ByRule& found) {
  std::string text;
  for (const auto& rule : found)
    for (const Found& one : rule.second)
      text += rule.first + " " + std::get<0>(one) + " at " + std::to_string(std::get<1>(one)) + ", event " +
              std::to_string(std::get<2>(one)) + ": " + std::get<3>(one) + "\n";
  return text;
}

/// An archive, its index, and what the check of the whole finds.
class Parts {
 public:
  explicit Parts(const fs::path& anchor) : anchor_{anchor}, whole_{check::check(anchor, options())} {
    source_ = otf2::open_archive(anchor);
    try {
      contents_ = open_index(*source_, {}).contents;
    } catch (const Error&) {  // of a damaged archive
    }
  }
  const Definitions& definitions() const { return source_->definitions(); }
  const check::CheckReport& whole() const { return whole_; }
  check::CheckReport check_part(const report::Part& part, bool by_index) const {
    auto of_part = options();
    of_part.part = part_to_check(*source_, part, by_index ? contents_ : nullptr);
    begins_ += of_part.part->begin ? 1 : 0;
    return check::check(anchor_, of_part);
  }
  std::size_t begins() const { return begins_; }  ///< parts whose reading began at a checkpoint

 private:
  static check::CheckOptions options() {
    check::CheckOptions options;
    options.keep_places = true;
    return options;
  }
  fs::path anchor_;
  check::CheckReport whole_;
  std::unique_ptr<otf2::PositionedSource> source_;
  std::shared_ptr<const index::Contents> contents_;
  mutable std::size_t begins_ = 0;
};

/// They look at all of an archive, or for another half that may lie outside.
const Rules ask_for_all{"D04", "D06", "D15", "D17", "E03", "E14", "E19", "E25", "E26", "E27", "E28", "E29", "E33"};
/// They are judged at a later event, or at the end.
const Rules judged_later{"E02", "E04", "E05", "E06", "E09", "E11", "E12", "E21", "E22"};
/// What they need of the past is not only what is open.
const Rules know_more{"E01", "E11", "E14", "E18", "E21", "E22", "E23", "E26", "E28", "E29", "E30", "E32"};

void check_one(const Parts& parts, const report::Part& part) {
  const auto& clock = parts.definitions().clock;
  const std::uint64_t from = part.begin(clock), to = part.end(clock);
  const ByRule whole = places_of(parts.whole(), from, to);
  const auto exact_report = parts.check_part(part, false), indexed_report = parts.check_part(part, true);
  const ByRule exact = places_of(exact_report, 0, ~std::uint64_t{0}),
               indexed = places_of(indexed_report, 0, ~std::uint64_t{0});
  INFO(part.text() << "\nwhole:\n"
                   << text_of(whole) << "part:\n"
                   << text_of(exact) << "by the index:\n"
                   << text_of(indexed));
  CHECK(without(exact, whole).empty());
  CHECK(without(indexed, exact).empty());
  const bool reaches_end = to >= clock.offset + clock.length;
  for (const auto& missing : without(whole, exact))
    CHECK((ask_for_all.contains(missing.first) || (!reaches_end && judged_later.contains(missing.first))));
  for (const auto& missing : without(exact, indexed)) {
    INFO(missing.first);
    CHECK(know_more.contains(missing.first));
  }
  if (exact.empty()) CHECK(indexed_report.read <= exact_report.read);  // it did not have to be read from its begin
}

void check_windows(const Parts& parts, unsigned count, unsigned seed) {
  std::mt19937 random{seed};
  const std::uint64_t length = parts.definitions().clock.length;
  if (length < 2 || length > (std::uint64_t{1} << 40)) return;
  for (unsigned i = 0; i < count; ++i) {
    report::Part part;
    part.from = std::uniform_int_distribution<std::uint64_t>{0, length}(random);
    if (i % 3 != 0) part.to = part.from + 1 + std::uniform_int_distribution<std::uint64_t>{0, length / 2}(random);
    check_one(parts, part);
  }
}

}  // namespace

namespace tracer::test {

void check_parts_of(const fs::path& anchor, const char* name) {
  INFO("parts of: " << name);
  check_windows(Parts{anchor}, 12, 1);
}

}  // namespace tracer::test

TEST_CASE("every part of a good archive is good, and is not read from the begin where there is an index") {
  const Scratch scratch;
  write_archive(make_sample(), scratch / "out");
  const Parts parts{scratch / "out/traces.otf2"};
  const std::uint64_t length = parts.definitions().clock.length;
  for (std::uint64_t from = 1; from < length; from += 3) {
    report::Part part;
    part.from = from;
    for (const std::uint64_t to : {from + 1, from + 20, from + 200, ~std::uint64_t{0}}) {
      part.to = to;
      check_one(parts, part);
      CHECK(parts.check_part(part, true).valid());
    }
  }
  CHECK(parts.begins() > length / 10);
}

TEST_CASE("a part counts its events and locations, and says what does not apply") {
  const Scratch scratch;
  write_archive(make_sample(), scratch / "out");
  const Parts parts{scratch / "out/traces.otf2"};
  report::Part part;
  part.threads = report::Numbers{"1"};
  const auto one = parts.check_part(part, true);
  CHECK(one.valid());
  CHECK(one.locations == 1);
  CHECK(one.events < parts.whole().events);
  part = {};
  part.to = parts.definitions().clock.length / 2;
  const auto half = parts.check_part(part, true);
  CHECK(half.events < parts.whole().events);
  CHECK(half.events > 0);
  const auto unused =
      std::find_if(half.findings.begin(), half.findings.end(), [](const auto& f) { return f.rule == "D15"; });
  CHECK(unused->outcome == check::Outcome::not_applicable);
  CHECK(unused->why == "needs the whole archive");
  part.from = parts.definitions().clock.length + 1;
  part.to = ~std::uint64_t{0};
  CHECK_THROWS_AS(parts.check_part(part, true), Error);
}

TEST_CASE("a violation is shown for the threads that were asked for") {
  const Scratch scratch;
  Seed seed;
  seed.span(1, 1300, 1310, r_loop);
  write_archive(seed.trace, scratch / "out");
  const Parts parts{scratch / "out/traces.otf2"};
  for (const char* thread : {"0", "1"}) {
    report::Part part;
    part.threads = report::Numbers{thread};
    for (const std::uint64_t from : {0, 150}) {
      part.from = from;
      INFO("thread " << thread << " from " << from);
      CHECK(with_outcome(parts.check_part(part, true), check::Outcome::violated) ==
            (thread == std::string{"1"} ? Rules{"E24"} : Rules{}));
    }
  }
}
