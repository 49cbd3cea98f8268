// SPDX-License-Identifier: BSD-3-Clause
// Collects the keys of all channels, symbolises their addresses once, merges equal names.
#include "tracer/translate/regions/regions.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "tracer/base/formatted.hpp"
#include "tracer/base/text.hpp"
#include "tracer/mpi_functions.hpp"
#include "tracer/range_language.hpp"

namespace tracer::translate {
namespace {

std::string base_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// Of a Python function: "name\nfile\nline".
void describe_python(const std::string& text, Region& region) {
  const std::vector<std::string> parts = split(text, '\n');
  region.name = region.canonical = shown(parts.front());
  if (parts.size() < 3 || parts[1].starts_with('<')) return;
  region.source_file = shown(parts[1]);
  region.begin_line = region.end_line = static_cast<std::uint32_t>(parse_number(parts[2]).value_or(0));
}

Region describe(const RegionKey& key, const SourcePosition& position, const Journal& journal) {
  Region region;
  region.role = row_of(key.construct).role;
  if (key.construct == Construct::lost_events) region.paradigm = Paradigm::measurement_system;
  if (key.construct == Construct::range || key.construct == Construct::mark) {
    const auto text_of = [&journal](std::uint64_t id) {
      const auto text = journal.strings.find(static_cast<std::uint32_t>(id));
      return text != journal.strings.end() ? shown(text->second) : std::string{};
    };
    region.name = text_of(key.codeptr & 0xffffffff);
    if (region.name.empty()) region.name = key.construct == Construct::range ? "range" : "mark";
    region.canonical = region.name;
    region.paradigm = key.extra == range_language::cuda ? Paradigm::cuda : Paradigm::user;
    if (key.extra == range_language::cuda) region.role = RegionRole::wrapper;
    region.description = language_name(key.extra);
    if (const std::string domain = text_of(key.codeptr >> 32); !domain.empty() && domain != region.description)
      region.description += " " + domain;
    if (const auto text = journal.strings.find(static_cast<std::uint32_t>(key.codeptr & 0xffffffff));
        key.extra == range_language::python && key.construct == Construct::range && text != journal.strings.end())
      describe_python(text->second, region);
    return region;
  }
  if (key.construct == Construct::phase) {
    const auto text = journal.strings.find(static_cast<std::uint32_t>(key.codeptr));
    region.name = text != journal.strings.end() && !text->second.empty() ? text->second : "phase";
    region.paradigm = Paradigm::user;
    region.canonical = region.name;
    return region;
  }
  region.name = construct_name(key);
  if (key.construct == Construct::mpi) {
    region.paradigm = Paradigm::mpi;
    region.role = key.extra < mpi_functions ? mpi_function_table[key.extra].role : RegionRole::function;
  }
  if (!position.file.empty()) {
    region.name += " @" + base_name(position.file) + ":" + std::to_string(position.line);
    region.source_file = position.file;
    region.begin_line = region.end_line = position.line;
  } else if (key.codeptr != 0) {
    // Libraries lie elsewhere in every run: by its module an address means the same in all of them.
    region.name +=
        formatted(" @0x%llx", static_cast<unsigned long long>(position.module.empty() ? key.codeptr : position.offset));
    if (!position.module.empty()) region.name += " in " + module_name(position.module);
    if (!position.function.empty()) region.name += " (" + plain_function(position.function) + ")";
    region.source_file = position.module;
  }
  region.canonical = key.construct == Construct::mpi ? construct_name(key) : region.name;
  region.description = position.function;
  return region;
}

/// What has no position may be named after anything that can be around it: each such key at each such position.
/// Programs have some dozen of the one and some thousands of the other; where a trace has more of both than any, none
/// is added. `seen`: in order of position.
void add_keys_at_positions_around(const std::vector<RegionKey>& seen, std::vector<RegionKey>& keys) {
  constexpr std::uint64_t most_added = 1u << 20;
  std::vector<RegionKey> placeless;
  std::vector<std::uint64_t> around;
  for (const RegionKey& key : seen) {
    const Construct c = key.construct;
    if (key.codeptr == 0) {
      if (wants_position(c)) placeless.push_back(key);
    } else if (c == Construct::parallel || c == Construct::teams || c == Construct::task ||
               c == Construct::task_untied || c == Construct::target_task || c == Construct::for_loop) {
      if (around.empty() || around.back() != key.codeptr) around.push_back(key.codeptr);
    }
  }
  if (std::uint64_t{placeless.size()} * around.size() > most_added) return;
  for (const std::uint64_t position : around)
    for (const RegionKey& key : placeless) keys.push_back({position, key.construct, key.wait, key.extra});
}

std::vector<RegionKey> all_keys(const Tables& tables) {
  const auto order = [](const RegionKey& a, const RegionKey& b) {
    return std::tie(a.codeptr, a.construct, a.wait, a.extra) < std::tie(b.codeptr, b.construct, b.wait, b.extra);
  };
  std::vector<RegionKey> keys;
  for (const ChannelScan& scan : tables.channels) keys.insert(keys.end(), scan.sites.begin(), scan.sites.end());
  std::sort(keys.begin(), keys.end(), order);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  const std::vector<RegionKey> seen = keys;
  std::set<std::pair<Construct, std::uint16_t>> waits;
  for (const RegionKey& key : seen)
    if (key.wait) waits.emplace(key.construct, key.extra);
  for (const RegionKey& key : seen)  // a wait is named after its region
    if (!key.wait && waits.contains({key.construct, key.extra}))
      keys.push_back({key.codeptr, key.construct, true, key.extra});
  add_keys_at_positions_around(seen, keys);
  // Wherever the passes see a position differently (wrong sequences), the construct alone is there.
  for (std::size_t k = 0, count = keys.size(); k < count; ++k)
    if (!is_annotation(keys[k].construct)) keys.push_back({0, keys[k].construct, keys[k].wait, keys[k].extra});
  std::sort(keys.begin(), keys.end(), order);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

bool wants_position(Construct construct) noexcept {
  return !is_annotation(construct) && construct != Construct::task_dependence && construct != Construct::lost_events &&
         construct != Construct::mpi;
}

RegionTable::RegionTable(std::vector<RegionKey> keys, std::vector<std::uint32_t> candidate,
                         std::vector<Region> candidates)
    : keys_(std::move(keys)), candidate_(std::move(candidate)), candidates_(std::move(candidates)) {
  std::size_t size = 64;
  while (size < keys_.size() * 2) size *= 2;
  slots_.assign(size, none);
  for (std::uint32_t k = 0; k < keys_.size(); ++k) {
    std::size_t i = keys_[k].hash() & (size - 1);
    while (slots_[i] != none) i = (i + 1) & (size - 1);
    slots_[i] = k;
  }
  refs_ = std::make_unique<std::atomic<RegionRef>[]>(candidates_.size());
  for (std::size_t c = 0; c < candidates_.size(); ++c) refs_[c] = undefined_ref;
}

std::uint32_t RegionTable::find(const RegionKey& key) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = key.hash() & mask; slots_[i] != none; i = (i + 1) & mask)
    if (keys_[slots_[i]] == key) return candidate_[slots_[i]];
  return key.codeptr == 0 ? none : find({0, key.construct, key.wait, key.extra});
}

const Region* RegionTable::look_up(const RegionKey& key) const noexcept {
  const std::uint32_t candidate = find(key);
  return candidate == none ? nullptr : &candidates_[candidate];
}

RegionRef RegionTable::use(const RegionKey& key) {
  const std::uint32_t candidate = find(key);
  return candidate == none ? undefined_ref : use_candidate(candidate);
}

RegionRef RegionTable::defer(const RegionKey& key) const noexcept {
  const std::uint32_t candidate = find(key);
  if (candidate == none) return undefined_ref;
  const RegionRef known = refs_[candidate].load(std::memory_order_acquire);
  return known != undefined_ref ? known : candidate | deferred_bit;
}

RegionRef RegionTable::keep(RegionRef deferred) {
  return use_candidate(deferred & ~deferred_bit);
}

RegionRef RegionTable::use_candidate(std::uint32_t candidate) {
  std::atomic<RegionRef>& ref = refs_[candidate];
  if (const RegionRef known = ref.load(std::memory_order_acquire); known != undefined_ref) return known;
  const std::lock_guard lock(mutex_);
  if (ref.load(std::memory_order_relaxed) == undefined_ref) {
    ref.store(first_ + static_cast<RegionRef>(order_.size()), std::memory_order_release);
    order_.push_back(candidate);
  }
  return ref.load(std::memory_order_relaxed);
}

void RegionTable::leave_out(const std::function<bool(const Region&)>& keep) {
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (!keep(candidates_[i])) refs_[i].store(left_out_region, std::memory_order_relaxed);
  }
}

void RegionTable::forget_uses() {
  for (const std::uint32_t candidate : order_) refs_[candidate].store(undefined_ref, std::memory_order_relaxed);
  order_.clear();
}

std::vector<Region> RegionTable::used() const {
  std::vector<Region> regions;
  regions.reserve(order_.size());
  for (const std::uint32_t candidate : order_) regions.push_back(candidates_[candidate]);
  return regions;
}

void build_regions(Tables& tables, const Journal& journal, const Symbolizer& symbolize) {
  std::vector<RegionKey> keys = all_keys(tables);
  std::vector<std::uint64_t> addresses;
  for (const RegionKey& key : keys)
    if (key.codeptr != 0 && !is_annotation(key.construct) && (addresses.empty() || addresses.back() != key.codeptr))
      addresses.push_back(key.codeptr);
  const std::vector<SourcePosition> positions =
      symbolize ? symbolize(addresses) : std::vector<SourcePosition>(addresses.size());

  std::map<std::tuple<std::string, std::string, std::uint32_t>, std::uint32_t> known;
  std::vector<Region> candidates;
  std::vector<std::set<std::string>> functions;  // of each, in an order that no address decides
  std::vector<std::uint32_t> candidate;
  const SourcePosition nowhere;
  for (const RegionKey& key : keys) {
    const auto at = std::lower_bound(addresses.begin(), addresses.end(), key.codeptr);
    const bool has = !is_annotation(key.construct) && at != addresses.end() && *at == key.codeptr;
    const SourcePosition& position = has ? positions[static_cast<std::size_t>(at - addresses.begin())] : nowhere;
    Region region = describe(key, position, journal);
    // The same word of two domains, or of a range and a mark, is two regions.
    const bool is_word = key.construct == Construct::range || key.construct == Construct::mark;
    const std::string place =
        is_word ? row_of(key.construct).name + region.description + region.source_file : region.source_file;
    const auto [it, fresh] = known.emplace(std::make_tuple(region.name, place, region.begin_line),
                                           static_cast<std::uint32_t>(candidates.size()));
    if (fresh) functions.emplace_back();
    if (!region.description.empty()) functions[it->second].insert(region.description);
    if (fresh) candidates.push_back(std::move(region));
    candidate.push_back(it->second);
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::string& description = candidates[i].description;
    description.clear();
    for (const std::string& function : functions[i]) description += (description.empty() ? "" : ", ") + function;
  }
  tables.regions = std::make_unique<RegionTable>(std::move(keys), std::move(candidate), std::move(candidates));
}

}  // namespace tracer::translate
