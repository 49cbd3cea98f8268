// SPDX-License-Identifier: BSD-3-Clause
// See build.hpp. Locations are followed in order of time, because tasks go from one to another with what they have
// open.
#include "tracer/index/build.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracer/base/files/checksum.hpp"
#include "tracer/base/packed_numbers.hpp"
#include "tracer/index/activity.hpp"
#include "tracer/index/contents.hpp"
#include "tracer/index/table_thread.hpp"

namespace tracer::index {
namespace {

/// The locations' tasks that do not run, and where each of them was left.
class Tasks {
 public:
  struct Left {
    std::vector<RegionRef> regions;
    LocationRef location = 0;
    std::uint64_t block = 0;
  };
  struct Hash {
    std::size_t operator()(const Owner& owner) const noexcept {
      constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
      const std::uint64_t mixed = (owner.generation * odd ^ owner.rank) * odd ^ owner.comm;
      return static_cast<std::size_t>(mixed ^ mixed >> 32);
    }
  };
  std::unordered_map<Owner, Left, Hash> left;
};

/// One location while it is read.
class Builder final : public TaskShelf, private SliceSink {
 public:
  Builder(LocationRef location, const LaneNames& names, Tasks& tasks, ActivityOfProcesses& activity)
      : location_{location}, tasks_{tasks}, lane_{names}, activity_{activity, location} {}

  /// The next ones, as they are read from the file. Only a switch of tasks has to do with other locations: without one
  /// they are followed while they are in the processor's caches, else in the order of time.
  void ahead(std::span<const Event> events, const otf2::ReadPosition& position) {
    position_ = position;
    is_new_ = true;
    is_behind_ = std::any_of(events.begin(), events.end(),
                             [](const Event& event) { return event.type == EventType::task_switch; });
    if (!is_behind_) follow(events);
  }
  /// The same ones, in the order of time.
  void events(std::span<const Event> events) {
    if (is_behind_) follow(events);
  }
  void finish(std::uint64_t time) {
    if (blocks_ == 0) return;
    activity_.change(std::max(time, last_), nullptr);
    end_block(std::max(time, last_));
    put_place(places_, {std::max(time, last_), events_, {}, payloads_.size()});
  }
  std::uint64_t last() const { return last_; }
  std::uint64_t first() const { return first_; }
  std::uint64_t events() const { return events_; }
  /// Writes the section and the directory's row.
  void write(std::string& out, std::string& directory) const;

 private:
  void follow(std::span<const Event> events) {
    for (const Event& one : events) {
      event(one, is_new_ ? &position_ : nullptr);
      is_new_ = false;
    }
  }
  void event(const Event& event, const otf2::ReadPosition* position) {
    const std::uint64_t time = std::max(event.time, last_);
    if (blocks_ == 0 || (position != nullptr && position->offset >= begin_.position.offset + wanted_bytes())) {
      if (blocks_ != 0) end_block(time);
      begin_block(time, position);
    }
    last_ = time;
    Event now = event;
    now.time = time;
    lane_.step(now, *this, *this);
    ++events_;
  }
  void put(const Owner& task, std::vector<RegionRef> regions) override {
    tasks_.left[task] = {std::move(regions), location_, blocks_};
  }
  std::vector<RegionRef> take(const Owner& task) override {
    const auto found = tasks_.left.find(task);
    if (found == tasks_.left.end()) return {};
    Tasks::Left left = std::move(found->second);
    tasks_.left.erase(found);
    if (left.location != location_ || left.block != blocks_)
      block_.resumed.push_back({events_ - begin_.ordinal, left.regions});
    return std::move(left.regions);
  }
  void opened(std::uint32_t depth, const OpenRegion& one) override {
    depth_ = std::max(depth_, depth + 1);
    summer_->opened(depth, one);
    activity_.change(one.begin, &one);
  }
  void closed(std::uint32_t depth, const OpenRegion& one, std::uint64_t end) override {
    summer_->closed(depth, one, end);
    activity_.change(end, lane_.state.open.empty() ? nullptr : &lane_.state.open.back());
  }
  /// Where many regions come at many depths a block is larger: its payload is small beside it.
  std::uint64_t wanted_bytes() const {
    constexpr std::uint64_t most = 1 << 20, share = 64, bytes_of_sum = 9, others = 64;
    return std::clamp(share * (bytes_of_sum * sums_.list().size() + others), block_bytes, most);
  }
  void begin_block(std::uint64_t time, const otf2::ReadPosition* position) {
    if (blocks_ == 0) first_ = time;
    begin_ = {time, events_, position == nullptr ? otf2::ReadPosition{} : *position, payloads_.size()};
    block_ = {};
    block_.state = lane_.state;
    sums_.clear();
    summer_ = std::make_unique<Summer>(lane_.state, time, ~std::uint64_t{0}, sums_);
    ++blocks_;
  }
  void end_block(std::uint64_t time) {
    summer_->finish(lane_.state, time);
    block_.sums = sums_.list();
    put_place(places_, begin_);
    put_block(payloads_, block_, begin_.time);
  }

  LocationRef location_;
  Tasks& tasks_;
  Lane lane_;
  ActivityOfLocation activity_;
  Sums sums_;
  std::unique_ptr<Summer> summer_;
  BlockPlace begin_;
  Block block_;
  otf2::ReadPosition position_;  ///< of the events that were read last
  bool is_new_ = false, is_behind_ = false;
  std::uint64_t events_ = 0, blocks_ = 0, first_ = 0, last_ = 0;
  std::uint32_t depth_ = 0;
  std::string places_, payloads_;
};

void Builder::write(std::string& out, std::string& directory) const {
  std::string payloads = payloads_, ends;
  std::vector<std::pair<std::size_t, std::size_t>> level;  // each node's payload
  for (std::size_t i = 0; i < blocks_; ++i) {
    const auto at = static_cast<std::size_t>(place_at(places_, i).payload);
    level.emplace_back(at, static_cast<std::size_t>(place_at(places_, i + 1).payload) - at);
  }
  std::uint64_t levels = 0;
  for (; level.size() > 1; ++levels) {
    std::vector<std::pair<std::size_t, std::size_t>> above;
    for (std::size_t i = 0; i < level.size(); i += fan_out) {
      Sums sums;
      for (std::size_t k = i; k < std::min(i + fan_out, level.size()); ++k)
        add_sums(std::string_view{payloads}.substr(level[k].first, level[k].second), sums);
      above.emplace_back(payloads.size(), 0);
      put_word(ends, payloads.size());
      put_sums(payloads, sums.list());
      above.back().second = payloads.size() - above.back().first;
    }
    level = std::move(above);
  }
  put_word(ends, payloads.size());
  const std::size_t offset = out.size();
  if (blocks_ != 0) out += places_ + ends + payloads;
  for (const std::uint64_t word : {std::uint64_t{offset}, std::uint64_t{out.size() - offset}, events_, blocks_, first_,
                                   last_, std::uint64_t{depth_}, levels})
    put_word(directory, word);
}

class Pass final : public EventVisitor {
 public:
  Pass(otf2::PositionedSource& source, const std::function<void(double)>& progress, const TableBuilders& tables,
       unsigned threads)
      : progress_{progress},
        tables_{tables},
        thread_{tables, threads},
        activity_{source.definitions()},
        total_{source.number_of_events()} {
    const std::size_t locations = source.definitions().locations.size();
    for (std::size_t i = 0; i < locations; ++i) {
      const auto location = static_cast<LocationRef>(i);
      builders_.emplace_back(location, lane_names_of(source.definitions(), location), tasks_, activity_);
    }
  }
  void ahead(LocationRef location, std::span<const Event> events, const otf2::ReadPosition& position) {
    if (location < builders_.size()) builders_[location].ahead(events, position);
  }
  void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override {
    events(location, {&event, 1}, attributes);
  }
  void events(LocationRef location, std::span<const Event> events,
              std::span<const EventAttribute> attributes) override {
    thread_.events(location, events, attributes);
    if (location < builders_.size()) builders_[location].events(events);
    const std::uint64_t looks = read_ >> 20;
    read_ += events.size();
    if (progress_ && total_ != 0 && read_ >> 20 != looks)
      progress_(static_cast<double>(read_) / static_cast<double>(total_));
  }
  std::string finish(std::uint64_t stamp) {
    thread_.finish();
    std::uint64_t first = ~std::uint64_t{0}, last = 0, events = 0;
    for (const Builder& builder : builders_) {
      if (builder.events() == 0) continue;
      first = std::min(first, builder.first());
      last = std::max(last, builder.last());
      events += builder.events();
    }
    std::string out(8 * header_words, '\0'), directory;
    for (Builder& builder : builders_) {
      builder.finish(last);
      builder.write(out, directory);
    }
    std::vector<std::uint64_t> rows{tables_.size() + 1};
    const auto add_table = [&](TableKind kind, const std::string& bytes) {
      rows.insert(rows.end(), {static_cast<std::uint64_t>(kind), out.size(), bytes.size()});
      out += bytes;
    };
    for (const auto& table : tables_) add_table(table->kind(), table->finish());
    add_table(TableKind::activity, activity_.table(events));
    const std::uint64_t at = out.size();
    out += directory;
    for (const std::uint64_t word : rows) put_word(out, word);
    std::string header{magic};
    for (const std::uint64_t word : {format_version, std::uint64_t{out.size()}, stamp, events, std::min(first, last),
                                     last, std::uint64_t{builders_.size()}, at})
      put_word(header, word);
    out.replace(0, header.size(), header);
    const std::uint64_t rest = checksum(out.data() + 8 * header_words, out.size() - 8 * header_words);
    std::string sum;
    put_word(sum, checksum(out.data(), 8 * (header_words - 1), rest));
    return out.replace(8 * (header_words - 1), 8, sum);
  }

 private:
  const std::function<void(double)>& progress_;
  const TableBuilders& tables_;
  TableThread thread_;
  Tasks tasks_;
  ActivityOfProcesses activity_;
  std::vector<Builder> builders_;
  std::uint64_t read_ = 0, total_;
};

}  // namespace

std::string build(otf2::PositionedSource& source, std::uint64_t stamp, const std::function<void(double)>& progress,
                  const TableBuilders& tables, unsigned threads) {
  Pass pass{source, progress, tables, threads};
  source.read(pass, [&](LocationRef location, std::span<const Event> events, const otf2::ReadPosition& position) {
    pass.ahead(location, events, position);
  });
  return pass.finish(stamp);
}

}  // namespace tracer::index
