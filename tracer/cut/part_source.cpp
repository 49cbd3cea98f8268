// SPDX-License-Identifier: BSD-3-Clause
// See part_source.hpp.
#include "tracer/cut/part_source.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tracer/cut/mpi_cut.hpp"
#include "tracer/cut/open_state.hpp"
#include "tracer/property_names.hpp"
#include "tracer/replay/run_facts.hpp"

namespace tracer::report {
namespace {

/// The part's end is reached: thrown through the source, which need not be read on.
struct Reached {};

std::uint64_t number_in(const std::string& text) {
  return std::strtoull(text.c_str(), nullptr, 10);
}

/// What the host had taken at `time` ns after the process' start: between the points of "at:taken,..." evenly.
double stolen_at(const std::string& points, double time) {
  double before = 0, taken_before = 0;
  for (const char* at = points.c_str(); *at != 0;) {
    char* rest = nullptr;
    const double point = std::strtod(at, &rest);
    if (*rest != ':') break;
    const double taken = std::strtod(rest + 1, &rest);
    if (time <= point && point > before)
      return taken_before + (taken - taken_before) * (time - before) / (point - before);
    before = point;
    taken_before = taken;
    at = *rest == ',' ? rest + 1 : rest;
    if (*rest != ',') break;
  }
  return taken_before;
}

/// The host's share of the part. What has no times lies evenly in the whole run.
void cut_stolen(std::vector<Property>& properties, std::uint64_t from, std::uint64_t to) {
  const auto find = [&](const char* name) { return find_property(properties, name); };
  Property* const stolen = find(properties::run_stolen_ns);
  const Property *const start = find(properties::run_process_start), *const end = find(properties::run_process_end);
  if (stolen == nullptr || start == nullptr || end == nullptr) return;
  const std::uint64_t begin = number_in(start->value), last = number_in(end->value);
  if (begin == 0 || last <= begin) return;
  const Property* const by_time = find(properties::run_stolen_by_time);
  const std::string points = by_time != nullptr ? by_time->value : std::to_string(last - begin) + ":" + stolen->value;
  const auto since = [&](std::uint64_t time) { return static_cast<double>(std::clamp(time, begin, last) - begin); };
  const double taken = stolen_at(points, since(to)) - stolen_at(points, since(from));
  stolen->value = std::to_string(static_cast<std::uint64_t>(std::max(0.0, taken)));
}

/// The process is what the part has of it.
void cut_life(std::vector<Property>& properties, std::uint64_t from, std::uint64_t to) {
  cut_stolen(properties, from, to);
  const auto limit = [&](const char* name, bool is_start) {
    for (Property& property : properties) {
      if (property.name != name) continue;
      const std::uint64_t time = std::strtoull(property.value.c_str(), nullptr, 10);
      if (time != 0) property.value = std::to_string(is_start ? std::max(time, from) : std::min(time, to));
    }
  };
  limit(properties::run_process_start, true);
  limit(properties::run_program_start, true);
  limit(properties::run_process_end, false);
}

/// Teams have those members that are in the part, and windows to devices are those of the processes that are. MPI's
/// ranks keep their numbers.
void remove_members(Definitions& definitions) {
  for (Group& group : definitions.groups) {
    if (group.paradigm == Paradigm::mpi || group.kind != GroupKind::comm_group) continue;
    const auto list = std::find_if(definitions.groups.begin(), definitions.groups.end(), [&](const Group& other) {
      return other.kind == GroupKind::comm_locations && other.paradigm == group.paradigm;
    });
    if (list == definitions.groups.end()) continue;
    std::erase_if(group.members, [&](std::uint32_t index) {
      const LocationRef location = index < list->members.size() ? list->members[index] : undefined_ref;
      return location >= definitions.locations.size() || !definitions.locations[location].used;
    });
  }
  for (RmaWindow& window : definitions.windows) {
    if (window.comm >= definitions.comms.size()) continue;
    const std::uint32_t group = definitions.comms[window.comm].group;
    window.used = group >= definitions.groups.size() || definitions.groups[group].paradigm == Paradigm::mpi ||
                  !definitions.groups[group].members.empty();  // that of MPI_COMM_SELF lists none
  }
}

class PartSource final : public SourceOver, private EventVisitor {
 public:
  PartSource(EventSource& source, const Part& part, FindPartStart find_start)
      : SourceOver{source},
        find_start_{std::move(find_start)},
        wanted_{part.some_locations(definitions_)},
        from_{part.begin(definitions_.clock)},
        to_{part.end(definitions_.clock)},
        are_processes_{part.threads.all()},
        are_all_{part.ranks.all()},
        is_cut_{part.from != 0 || to_ < definitions_.clock.offset + definitions_.clock.length} {
    for (std::size_t i = 0; i < wanted_.size(); ++i) definitions_.locations[i].used = wanted_[i];
    remove_members(definitions_);
    for (Property& property : definitions_.properties)  // some messages come from what is left out
      if (property.name == properties::mpi_complete) property.value = "false";
    definitions_.part_end = std::min(definitions_.part_end, to_);  // also where the trace ends before it
    if (is_cut_) {
      remove_sums(definitions_);
      if (part.from != 0) definitions_.part_begin = from_;
      cut_life(definitions_.properties, definitions_.part_begin, to_);
      for (LocationGroup& group : definitions_.groups_of_locations)
        cut_life(group.properties, definitions_.part_begin, to_);
    }
    name_part(part.text());
    source_.want(wanted_);
    if (is_cut_) source_.want_times(from_, to_);
  }
  /// Of a part of the time nobody knows: where reading begins and ends is no matter of the part.
  std::uint64_t unread() const override { return is_cut_ ? 0 : source_.unread(); }
  std::map<std::string, std::uint64_t> untranslated() const override {
    return is_cut_ ? std::map<std::string, std::uint64_t>{} : source_.untranslated();
  }
  void read(EventVisitor& visitor) override {
    next_ = &visitor;
    begun_ = from_ <= definitions_.clock.offset;
    is_over_ = false;
    held_.clear();
    const std::optional<PartStart> start = find_start();
    try {
      start ? start->read(*this) : source_.read(*this);
    } catch (const Reached&) {
      return;
    }
    try {
      if (!begun_) begin();
      emit_held();
    } catch (const Reached&) {
      return;
    }
    if (is_over_) open_->emit_closings(to_, emitter());
  }

 private:
  /// Where reading begins; none: at the trace's begin. Sets what lies before it.
  std::optional<PartStart> find_start() {
    open_.emplace(definitions_);
    mpi_.emplace(definitions_);
    if (begun_ || !find_start_) return std::nullopt;
    std::optional<PartStart> start = find_start_(from_);
    const std::vector<bool> wanted = are_all_ && are_processes_ ? std::vector<bool>{} : wanted_;
    if (start && take_part_state(start->kept, definitions_, wanted, are_processes_, *open_, *mpi_)) return start;
    open_.emplace(definitions_);
    mpi_.emplace(definitions_);
    return std::nullopt;
  }
  /// Of an archive that is a part itself: of which, too.
  void name_part(const std::string& text) {
    Property* const known = find_property(definitions_.properties, properties::part);
    if (known == nullptr) {
      definitions_.properties.push_back({properties::part, text});
    } else {
      known->value += "; of that " + text;
    }
  }
  void begin() {
    begun_ = true;
    mpi_->begin();
    open_->emit_openings(from_, emitter());
  }
  OpenState::Emit emitter() {
    return [this](LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
      next_->event(location, event, attributes);
    };
  }

  /// The end is reached. A fork before it goes on into its team, at the end.
  void behind(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
    if (!begun_) begin();
    is_over_ = true;
    const bool is_forking = open_->is_forking(location);
    if (is_forking && (event.type == EventType::team_end || event.type == EventType::enter) &&
        !open_->leads_into_team(event))
      open_->give_up_region(location);
    if (is_forking && open_->leads_into_team(event)) {
      Event at_end = event;
      at_end.time = to_;
      open_->follow(location, at_end, attributes);
      next_->event(location, at_end, attributes);
    }
    if (open_->is_any_forking()) return;
    open_->emit_closings(to_, emitter());
    throw Reached{};
  }

  void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override {
    if (location >= wanted_.size() || !wanted_[location]) return;
    if (event.time < from_ && (!begun_ || from_ <= definitions_.clock.offset)) {
      mpi_->before(location, event, attributes);
      return open_->follow(location, event, attributes);
    }
    if (!begun_) begin();
    if (event.time < from_) return behind_begin(location, event, attributes);
    follow_part(location, event, attributes);
  }
  /// In a damaged trace, whose time goes back: what lies before is settled by now.
  void behind_begin(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
    Event at_begin = event;
    at_begin.time = from_;
    follow_part(location, at_begin, attributes);
  }
  void follow_part(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
    if (!mpi_->is_undecided()) return within(location, event, attributes);
    held_.push_back({location, event, {attributes.begin(), attributes.end()}});
    mpi_->look_ahead(location, event, attributes);
    if (!mpi_->is_undecided() || held_.size() >= most_held) emit_held();
  }

  /// What was held back until it was clear which receives are for messages of before.
  void emit_held() {
    mpi_->decide();
    const std::vector<Held> held = std::exchange(held_, {});
    for (const Held& one : held) within(one.location, one.event, one.attributes);
  }

  void within(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
    if (event.time > to_) return behind(location, event, attributes);
    open_->follow(location, event, attributes);
    if (mpi_->is_behind(location, event)) return open_->emit_with_end(location, event);
    const std::optional<Event> cut = mpi_->after(location, event, attributes);
    std::optional<Event> first;
    if (!open_->goes_on(location, event, first)) return;
    if (cut && first) next_->event(location, *first, {});
    if (cut) next_->event(location, *cut, cut->type == event.type ? attributes : std::span<const EventAttribute>{});
  }

  struct Held {
    LocationRef location = 0;
    Event event;
    std::vector<EventAttribute> attributes;
  };
  /// A receive may never end: then what has been seen of the others decides.
  static constexpr std::size_t most_held = std::size_t{1} << 16;

  FindPartStart find_start_;
  std::vector<bool> wanted_;  ///< by location
  std::uint64_t from_, to_;   ///< on the trace's clock
  bool are_processes_;        ///< with all their threads
  bool are_all_;              ///< of the trace's
  bool is_cut_;               ///< in time
  bool begun_ = false, is_over_ = false;
  EventVisitor* next_ = nullptr;
  std::vector<Held> held_;
  std::optional<OpenState> open_;
  std::optional<MpiCut> mpi_;
};

}  // namespace

std::unique_ptr<EventSource> part_of(EventSource& source, const Part& part, FindPartStart find_start) {
  return std::make_unique<PartSource>(source, part, std::move(find_start));
}

}  // namespace tracer::report
