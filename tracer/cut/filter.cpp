// SPDX-License-Identifier: BSD-3-Clause
// Reads filter files and applies their rules.
#include "tracer/cut/filter.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include "tracer/base/text.hpp"
#include "tracer/cut/left_out_regions.hpp"
#include "tracer/error.hpp"
#include "tracer/property_names.hpp"
#include "tracer/replay/kept_phases.hpp"
#include "tracer/replay/regions.hpp"

namespace tracer::report {
namespace {

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), FNM_NOESCAPE) == 0;
}

bool matches_any(const std::string& pattern, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return matches(pattern, name); });
}

/// Words apart by blanks; a backslash or quotation marks keep a blank. "#" begins a comment.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false, quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '#' && !quoted && !inside) break;
    if (c == '"') {
      quoted = !quoted;
      if (!inside) words.emplace_back();
      inside = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0 && !quoted) {
      inside = false;
    } else {
      if (!inside) words.emplace_back();
      inside = true;
      words.back() += c == '\\' && i + 1 < line.size() ? line[++i] : c;
    }
  }
  return words;
}

/// How long the name of an operator is whose brackets are none (operator<, operator->), if one is at `at`; else 0.
std::size_t bracket_operator(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const bool inside = at != 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0 || text[at - 1] == '_');
  if (inside || !(rest.starts_with("operator<") || rest.starts_with("operator>") || rest.starts_with("operator-")))
    return 0;
  return std::min(rest.find_first_of("(, "), rest.size());
}

}  // namespace

std::vector<std::string> functions_of(std::string_view description) {
  std::vector<std::string> functions(1);
  int open = 0;
  for (std::size_t i = 0; i < description.size(); ++i) {
    if (open == 0 && description.substr(i).starts_with(", ")) {
      functions.emplace_back();
      ++i;
    } else if (const std::size_t length = bracket_operator(description, i); length != 0) {
      functions.back() += description.substr(i, length);
      i += length - 1;
    } else {
      const char c = description[i];
      functions.back() += c;
      if (std::string_view{"(<[{"}.find(c) != std::string_view::npos) ++open;
      if (open > 0 && std::string_view{")>]}"}.find(c) != std::string_view::npos) --open;
    }
  }
  return functions;
}

namespace {

/// The names by which a rule may mean a region.
std::vector<std::string> names_of(const Region& region) {
  std::vector<std::string> names{region.name, region.canonical};
  const RegionClass known = classify(region);
  names.push_back(known.label);
  std::string joined = known.label;
  std::replace(joined.begin(), joined.end(), ' ', '_');
  names.push_back(joined);
  if (region.description.empty()) return names;
  names.push_back(region.description);
  for (const std::string& function : functions_of(region.description)) {
    names.push_back(function);
    if (function.find('(') != std::string::npos) names.push_back(plain_function(function));
  }
  return names;
}

class FilteredSource final : public SourceOver, private EventVisitor {
 public:
  FilteredSource(EventSource& source, const Filter& filter) : SourceOver{source} {
    for (const Region& region : definitions_.regions) keep_.push_back(filter.keeps(region));
    record_filter(definitions_, filter.text());
  }
  void read(EventVisitor& visitor) override {
    left_out_.emplace(definitions_.locations.size(), visitor);
    source_.read(*this);
    left_out_->finish();
  }

 private:
  void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override {
    left_out_->pass(location, event, attributes,
                    [this](RegionRef region) { return region < keep_.size() && !keep_[region]; });
  }

  std::vector<bool> keep_;
  std::optional<LeftOutRegions> left_out_;
};

}  // namespace

void Filter::add_text(std::string_view text, const std::string& name) {
  std::vector<Rule>* block = nullptr;
  std::size_t number = 0;
  bool include = false, have_kind = false;
  const auto fail = [&](const std::string& what) { throw Error{name + ":" + std::to_string(number) + ": " + what}; };
  std::stringstream lines{std::string{text}};
  for (std::string line; std::getline(lines, line);) {
    ++number;
    for (const std::string& word : words_of(line)) {
      std::string key = word;
      for (const char* prefix : {"SCOREP_", "TRACER_"}) {
        if (key.starts_with(prefix)) key.erase(0, 7);
      }
      if (key == "REGION_NAMES_BEGIN" || key == "FILE_NAMES_BEGIN") {
        if (block != nullptr) fail(word + " inside another block");
        block = key.starts_with("REGION") ? &names_ : &files_;
        have_kind = false;
      } else if (key == "REGION_NAMES_END" || key == "FILE_NAMES_END") {
        if (block != (key.starts_with("REGION") ? &names_ : &files_)) fail(word + " without its begin");
        block = nullptr;
      } else if (block == nullptr) {
        fail("'" + word + "' stands outside of SCOREP_REGION_NAMES_BEGIN ... END and SCOREP_FILE_NAMES_BEGIN ... END");
      } else if (key == "INCLUDE" || key == "EXCLUDE") {
        include = key == "INCLUDE";
        have_kind = true;
      } else if (key == "MANGLED") {
        continue;  // only kernels have their symbols
      } else if (!have_kind) {
        fail("'" + word + "' comes before INCLUDE or EXCLUDE");
      } else {
        block->push_back({include, word});
      }
    }
  }
  if (block != nullptr) fail("the last block is not ended");
}

void Filter::add_file(const std::string& path) {
  std::ifstream in{path};
  if (!in) throw Error{"cannot read the filter " + path + ": " + std::strerror(errno)};
  std::stringstream text;
  text << in.rdbuf();
  add_text(text.str(), path);
}

bool Filter::keeps(const Region& region) const {
  bool keep = true;
  for (const Rule& rule : files_) {
    if (!region.source_file.empty() && matches(rule.pattern, region.source_file)) keep = rule.include;
  }
  if (!keep || names_.empty()) return keep;
  const auto names = names_of(region);
  for (const Rule& rule : names_) {
    if (matches_any(rule.pattern, names)) keep = rule.include;
  }
  return keep;
}

bool means(const std::string& pattern, const Region& region) {
  return matches_any(pattern, names_of(region));
}

namespace {

/// An archive's properties share 256 KiB.
constexpr std::size_t most_text = 32 * 1024;
constexpr const char* more_rules = "...";

void append_rule(std::string& text, const std::string& rule) {
  text += (text.empty() ? "" : "; ") + rule;
}

}  // namespace

std::string Filter::text() const {
  std::string out;
  const auto add = [&](const std::vector<Rule>& rules, const char* of) {
    for (const Rule& rule : rules) {
      const std::string one = std::string{rule.include ? "INCLUDE " : "EXCLUDE "} + of + rule.pattern;
      if (out.size() + one.size() > most_text) return false;
      append_rule(out, one);
    }
    return true;
  };
  if (!add(files_, "file ") || !add(names_, "")) append_rule(out, more_rules);
  return out;
}

std::uint64_t parse_duration(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const double factor = unit.empty() || unit == "ns" ? 1
                        : unit == "us"               ? 1e3
                        : unit == "ms"               ? 1e6
                        : unit == "s"                ? 1e9
                                                     : -1;
  if (error != std::errc{} || factor < 0 || !(value >= 0 && value * factor <= 1e18)) {
    throw UsageError{"'" + std::string{text} + "' is not a duration; write 500, 10us, 1.5ms or 2s"};
  }
  return static_cast<std::uint64_t>(value * factor);
}

void record_filter(Definitions& definitions, const std::string& text) {
  auto& all = definitions.properties;
  Property* const before = find_property(all, properties::filter);
  if (before == nullptr) {
    all.push_back({properties::filter, text});
  } else if (text.starts_with(phase_rule) || before->value.size() + text.size() <= 2 * most_text) {
    append_rule(before->value, text);  // those of phases are read again
  } else if (!before->value.ends_with(more_rules)) {
    append_rule(before->value, more_rules);
  }
}

std::unique_ptr<EventSource> filtered(EventSource& source, const Filter& filter) {
  return std::make_unique<FilteredSource>(source, filter);
}

void LongSlices::pass(std::vector<Held>& held, std::uint64_t now) {
  std::uint32_t depth = 0;
  for (Held& one : held) {  // the outer ones began earlier, so they become long enough first
    if (!one.passed && now - std::min(now, one.slice.begin) >= shortest_) {
      one.passed = true;
      one.slice.depth = depth;
      next_.open(one.slice);
    }
    depth += one.passed ? 1 : 0;
  }
}

void LongSlices::open(const Slice& slice) {
  std::vector<Held>& held = held_[slice.location];
  pass(held, slice.begin);
  held.push_back({slice, false});
}

void LongSlices::close(const Slice& slice) {
  std::vector<Held>& held = held_[slice.location];
  pass(held, slice.end);
  const auto same = [&](const Held& one) { return one.slice.begin == slice.begin && one.slice.name == slice.name; };
  const auto found = std::find_if(held.rbegin(), held.rend(), same);
  if (found == held.rend()) return;
  if (found->passed) {
    Slice out = slice;
    out.depth = found->slice.depth;
    next_.close(out);
  } else {
    ++left_out_;
  }
  held.erase(std::next(found).base());
}

}  // namespace tracer::report
