// SPDX-License-Identifier: BSD-3-Clause
// What is open at a moment of a trace: regions, teams, tasks, locks, operations. A part of the trace begins with it,
// and ends with the end of what is open then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tracer/base/packed_numbers.hpp"
#include "tracer/event_source.hpp"
#include "tracer/replay/comm_members.hpp"
#include "tracer/replay/regions.hpp"
#include "tracer/replay/vain_searches.hpp"

namespace tracer::report {

class OpenState {
 public:
  using Emit = std::function<void(LocationRef, const Event&, std::span<const EventAttribute>)>;

  explicit OpenState(const Definitions& definitions);
  /// Events in order of time. `location` is below the number of locations.
  void follow(LocationRef location, const Event& event, std::span<const EventAttribute> attributes);
  /// Whether a fork of the location has not led into its team's region yet: a trace cannot end there.
  bool is_forking(LocationRef location) const;
  bool is_any_forking() const;
  /// Of a location that is_forking(): whether the event, behind the end, is of its way into the team's region.
  bool leads_into_team(const Event& event) const;
  /// The location has no such region: its team goes on, or ends, without it (--exclude parallel).
  void give_up_region(LocationRef location);
  /// The events that opened what is open, in their order, at `time`; then recording is switched off where it was.
  void emit_openings(std::uint64_t time, const Emit& emit);
  /// The same at time 0 for who goes on with all events behind, also those that emit_openings() cannot have: of a team
  /// that is over before its join comes a fork, begin and end of an undefined team.
  void emit_begun(const Emit& emit) const;
  /// After emit_openings(). What ends something that was open but could not be written alone: `event` is left out, or
  /// (true) is written, after the beginning that stands in `first`.
  bool goes_on(LocationRef location, const Event& event, std::optional<Event>& first);
  /// A collective operation begins, of which only the end decides whether it is written: then, with that.
  void emit_with_end(LocationRef location, const Event& begin) { locations_[location].collective = begin; }
  /// Events that end what is open, what came last first, at `time`, after recording is on again everywhere. Members
  /// that have not come to an open team begin it and leave it then. Tasks that nobody has begun are left as they are.
  void emit_closings(std::uint64_t time, const Emit& emit) const;
  /// Each explicit task has been on one location only, and nobody came to a team again whose master was in it: of some
  /// locations alone the same is open.
  bool is_by_location() const noexcept { return is_by_location_; }
  /// What follow() has made of the events so far, but for their times; not after emit_openings().
  void keep(std::string& out) const;
  /// That again, of the locations that are `wanted` (empty: of all): refuses what cannot be.
  void take(BytesIn& in, const Definitions& definitions, const std::vector<bool>& wanted);

 private:
  using TaskKey = std::tuple<CommRef, std::uint64_t, std::uint64_t>;  ///< as TaskSwitch names it
  using Owner = std::optional<TaskKey>;                               ///< none: the implicit task, or no task
  struct Held {
    std::uint64_t number = 0;  ///< in the order of events
    LocationRef location = 0;
    Event event{};
    std::vector<EventAttribute> attributes;
    bool over = false;  ///< a fork whose team is: what is open of it is the join alone
  };
  using Stack = std::vector<Held>;
  struct State;
  struct ExplicitTask {
    std::optional<Held> create;
    bool started = false;
    LocationRef at = 0;  ///< where it ran last
    Stack stack;
    State* known_to = nullptr;  ///< whose `task` is this one
  };
  /// What a member has done of that which all members of its team do one after the other.
  struct Done {
    std::uint64_t times = 0, number = 0;  ///< number: of the last one's end
    RegionRef region = undefined_ref;     ///< the last one's
  };
  /// A few, in the order of their keys.
  class DoneByRegion {
   public:
    Done& operator[](RegionRef key) {
      const auto at = std::lower_bound(list_.begin(), list_.end(), key, is_before);
      return at != list_.end() && at->first == key ? at->second : list_.insert(at, {key, {}})->second;
    }
    std::uint64_t times(RegionRef key) const {
      const auto at = std::lower_bound(list_.begin(), list_.end(), key, is_before);
      return at != list_.end() && at->first == key ? at->second.times : 0;
    }
    auto begin() const { return list_.begin(); }
    auto end() const { return list_.end(); }
    std::size_t size() const { return list_.size(); }

   private:
    using Entry = std::pair<RegionRef, Done>;
    static bool is_before(const Entry& entry, RegionRef key) { return entry.first < key; }
    std::vector<Entry> list_;
  };
  struct Membership {
    Held begin;
    bool is_master = false;
    bool has_entered = false;          ///< a region, which may be over
    RegionRef region = undefined_ref;  ///< the first one, where it is a parallel region
    Stack stack;                       ///< of the implicit task
    DoneByRegion done;                 ///< worksharing by region; of all barriers under undefined_ref
  };
  struct State {
    Stack stack;  ///< outside of teams
    std::vector<Membership> teams;
    std::vector<Owner> forks;         ///< open, and the tasks that forked
    std::size_t joining = 0;          ///< of `forks`: their teams are over
    std::size_t joins = 0;            ///< to come, of forks that were left out: the last ones of `forks`
    std::optional<Event> collective;  ///< begun, mostly before the part; written with its end
    Stack operations;                 ///< that end in any order: copies, requests, communicators, windows
    bool off = false;                 ///< recording is
    Owner current;
    ExplicitTask* task = nullptr;  ///< that of `current`, where it has been looked up
  };
  /// Locations in the order in which they came, each once.
  class Comers {
   public:
    const std::vector<LocationRef>& list() const noexcept { return list_; }
    bool has(LocationRef location) const {
      if (is_in_.empty()) return std::find(list_.begin(), list_.end(), location) != list_.end();
      return location < is_in_.size() && is_in_[location];
    }
    void add(LocationRef location) {
      list_.push_back(location);
      if (list_.size() > few && is_in_.empty())
        for (const LocationRef one : list_) note(one);
      else if (!is_in_.empty())
        note(location);
    }
    void clear() {
      for (const LocationRef one : list_)
        if (one < is_in_.size()) is_in_[one] = false;
      list_.clear();
    }

    LocationRef master = undefined_ref;  ///< the last one that came as such

   private:
    static constexpr std::size_t few = 16;
    void note(LocationRef location) {
      if (location >= is_in_.size()) is_in_.resize(std::size_t{location} + 1);
      is_in_[location] = true;
    }
    std::vector<LocationRef> list_;
    std::vector<bool> is_in_;  ///< empty: there have been few
  };
  /// One thing that is open, for emitting it.
  struct Item {
    const Held* held;
    Owner owner;
    bool is_task = false;                    ///< the creation of one
    const Membership* membership = nullptr;  ///< its begin
    std::uint64_t times = 0;                 ///< not open any more, and written so often, without length
    bool is_master() const { return membership != nullptr && membership->is_master; }
  };

  Stack& stack_of(State& state) {
    if (state.task != nullptr) return state.task->stack;
    if (state.current) return task_of(state).stack;
    return state.teams.empty() ? state.stack : state.teams.back().stack;
  }
  ExplicitTask& task_of(State& state);
  /// The location goes on with another task.
  static void go_on(State& state, const Owner& owner);
  void hold(Stack& stack, LocationRef location, const Event& event, std::span<const EventAttribute> attributes);
  void follow_task(LocationRef location, State& state, const Event& event, std::span<const EventAttribute> attributes);
  void begin_team(LocationRef location, State& state, const Event& event, std::span<const EventAttribute> attributes);
  void end_team(State& state);
  void note_region(Membership& membership, RegionRef region) const;
  /// It has left its parallel region, and its team goes on.
  static bool is_region_over(const Membership& membership);
  bool is_parallel(RegionRef region) const {
    return region < classes_.size() && classes_[region].construct == Directive::parallel;
  }
  bool is_master_in(LocationRef location, CommRef comm) const;
  /// Barriers and worksharing that are over for some members of a team only, so often.
  static void emit_done(LocationRef location, Event enter, std::uint64_t times, const Emit& emit);
  /// Those who have not come to the team that a master began come and go.
  void emit_absent(const Membership& master, std::uint64_t time, const Emit& emit) const;
  /// On all locations where recording is off.
  void emit_recording(bool on, std::uint64_t time, const Emit& emit) const;
  /// Forks whose teams are over: they were left out, and so are their joins.
  void forget_over();
  void close_operation(LocationRef location, const Event& event, std::span<const EventAttribute> attributes);
  /// In the order in which it was opened: all that is open, and `more`.
  std::vector<Item> items(const std::vector<std::pair<Held, std::uint64_t>>& more = {}) const;
  /// Members of a team do the same barriers and worksharing, which belong together by their order alone. Where one has
  /// left what another is still in, or has not come to, it is written for the first as well, without length.
  void note_done(State& state, const Event& leave);
  std::vector<std::pair<Held, std::uint64_t>> done_ahead() const;
  /// Of the location's forks: their teams have not begun.
  static bool has_teamless_fork(const State& state);
  /// Has `location` go to the task `to`, when it is in another.
  void go_to(LocationRef location, const Owner& to, std::uint64_t time, std::vector<Owner>& current,
             const Emit& emit) const;

  class Keeper;
  class Taker;

  CommMembers members_;                 ///< of each comm
  std::vector<bool> used_;              ///< by location
  std::vector<std::uint32_t> process_;  ///< likewise: its group
  std::vector<RegionClass> classes_;    ///< by region
  std::vector<State> locations_;
  std::map<TaskKey, ExplicitTask> tasks_;
  std::map<CommRef, Comers> begun_;  ///< who has come to the team of the latest fork
  VainSearches in_vain_;
  std::uint64_t events_ = 0;
  bool is_by_location_ = true;
};

}  // namespace tracer::report
