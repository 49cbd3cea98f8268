// SPDX-License-Identifier: BSD-3-Clause
// Follows a trace event by event: what each location does, which task runs there, in which team.
// Observers get frames, tasks and teams instead of events.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "tracer/event_source.hpp"
#include "tracer/own_number.hpp"
#include "tracer/replay/comm_members.hpp"
#include "tracer/replay/declared_dependences.hpp"
#include "tracer/replay/open_tasks.hpp"
#include "tracer/replay/replay_state.hpp"
#include "tracer/replay/vain_searches.hpp"

namespace tracer::report {

class Observer {
 public:
  virtual ~Observer() = default;
  /// Asked when it is added to a replay. False: the trace has nothing for it, and only finished() is called.
  virtual bool is_concerned() const { return true; }
  virtual void event(LocationRef, const Event&, std::span<const EventAttribute>) {}
  /// What has more to it than that a region begins or ends: neither Enter nor Leave, or with attributes.
  virtual void other_event(LocationRef, const Event&, std::span<const EventAttribute>) {}
  /// Now and then, for progress.
  virtual void events_so_far(std::uint64_t) {}
  /// `location` did `activity` from `from` to `to` in `task`, whose innermost frame is charged with it. While recording
  /// is off nobody knows what it does: not_recorded() has that time.
  virtual void interval(LocationRef, Task&, Activity, std::uint64_t /*from*/, std::uint64_t /*to*/) {}
  /// Between two events of `location`, or up to its end, recording was off.
  virtual void not_recorded(LocationRef, std::uint64_t /*from*/, std::uint64_t /*to*/) {}
  virtual void enter(LocationRef, Task&, const Frame&) {}
  virtual void leave(LocationRef, Task&, const Frame&, std::uint64_t /*time*/) {}
  virtual void task_created(LocationRef, Task& /*creator*/, Task&) {}
  virtual void task_started(LocationRef, Task&) {}
  virtual void task_completed(LocationRef, Task&, std::uint64_t /*time*/) {}
  /// `from` or `to` may be a location's implicit task.
  virtual void task_switched(LocationRef, Task& /*from*/, Task& /*to*/, std::uint64_t /*time*/) {}
  virtual void task_dependence(Task& /*source*/, Task& /*sink*/) {}
  /// A thread ended while its process went on; its activity until then has been passed on.
  virtual void thread_ended(LocationRef, std::uint64_t /*time*/) {}
  virtual void team_begun(LocationRef, Team&, Task& /*implicit*/) {}
  virtual void team_left(LocationRef, Team&, Task& /*implicit*/) {}
  virtual void team_ended(Team&) {}
  virtual void finished(std::uint64_t /*last time*/) {}
};

class Replay final : public EventVisitor {
 public:
  explicit Replay(const Definitions& definitions);
  /// Gets what it overrides a function for, after those that were added before.
  template <class Kind>
  void add(Kind& observer);
  void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;
  void events(LocationRef location, std::span<const Event> events, std::span<const EventAttribute> attributes) override;
  /// After the last event: closes what is open, also around what runs and in suspended tasks.
  void finish();

  const std::vector<RegionClass>& classes() const { return classes_; }
  const LocationState& location(LocationRef ref) const { return locations_[ref]; }
  /// Explicit tasks that are not complete, by their numbers.
  std::vector<Task*> open_tasks() const;
  std::uint64_t first() const { return first_; }
  std::uint64_t last() const { return last_; }
  /// Of the location's process and its devices, once all is read: what its threads do is not followed beyond.
  std::uint64_t last_of(LocationRef ref) const { return last_of_[process_[ref]]; }
  /// The last time that observers get of the location: of its process, or of itself where it ended before that.
  std::uint64_t end_of(LocationRef ref) const;
  /// Of the location: in the order of processes.
  std::uint32_t process_of(LocationRef ref) const { return process_[ref]; }
  /// Where the trace is confined to phases (phase_filter.hpp): whether one is open in the location's process. What is
  /// outside of them is no time that observers get.
  bool is_confined() const { return is_confined_; }
  bool is_within(LocationRef ref) const { return !is_confined_ || open_phases_[process_[ref]] != 0; }
  /// The threads of a team, in the order of their numbers in it; of no known one: none.
  std::span<const LocationRef> members_of(CommRef comm) const {
    if (comm >= members_.size()) return {};
    return members_[comm];
  }
  /// A number that the location's process gave.
  OwnNumber in_process(LocationRef ref, std::uint64_t number) const { return {process_[ref], number}; }
  std::uint64_t events() const { return events_; }
  /// Events that did not fit: leave without enter, unknown tasks, time that decreases.
  std::uint64_t irregular() const { return irregular_; }

 private:
  bool count(LocationRef ref, std::size_t events);
  void step(LocationRef ref, LocationState& location, const Event& event, std::span<const EventAttribute> attributes);
  void charge(LocationRef ref, LocationState& location, std::uint64_t time);
  void pass_on_not_recorded(LocationRef ref, std::uint64_t from, std::uint64_t to);
  void do_enter(LocationRef ref, LocationState& location, const Event& event,
                std::span<const EventAttribute> attributes);
  void do_leave(LocationRef ref, LocationState& location, const Event& event);
  bool is_open(const Task& task, RegionRef region);
  void do_team_begin(LocationRef ref, LocationState& location, const Event& event);
  void do_team_end(LocationRef ref, LocationState& location, std::uint64_t time);
  void do_join(LocationState& location);
  void do_task_create(LocationRef ref, LocationState& location, const Event& event,
                      std::span<const EventAttribute> attributes);
  void do_task_switch(LocationRef ref, LocationState& location, const Event& event);
  void do_task_complete(LocationRef ref, LocationState& location, const Event& event);
  static Task* maker_on(LocationRef ref, const Team& team);
  static void credit_maker(LocationRef ref, const LocationState& location, const Membership& context);
  void end_team(Team& team, std::uint64_t time);
  void leave_all(LocationRef ref, Task& task, std::uint64_t time);
  void charge_process(std::uint32_t process, std::uint64_t time);
  void end_threads(std::uint64_t until);
  void look_for_helpers(Team& team, const RegionClass& region) const;
  void forget_id(LocationRef ref, const Task& task);
  void dependence(LocationRef ref, std::span<const EventAttribute> attributes);
  void cancel(LocationRef ref, std::span<const EventAttribute> attributes);
  void depend(Task& source, Task& sink);
  /// Of which the event's task is: the one that it names, else the innermost; nullptr: the thread is in none.
  static const std::shared_ptr<Team>& team_of(const LocationState& location, const Event& event);
  TaskRef find(const Event& event, const std::shared_ptr<Team>& team);

  const Definitions& definitions_;
  TaskPool pool_;
  std::vector<RegionClass> classes_;
  std::vector<LocationState> locations_;
  std::vector<std::uint32_t> process_;                  ///< of each location
  std::vector<bool> is_first_;                          ///< of its process' threads
  std::vector<std::uint64_t> last_of_;                  ///< of each process
  CommMembers members_;                                 ///< of each comm
  std::vector<bool> is_phase_;                          ///< of each region: the trace is confined to it; empty: to none
  bool is_confined_;                                    ///< to any
  std::vector<std::uint32_t> open_phases_;              ///< of each process
  std::vector<std::vector<LocationRef>> locations_of_;  ///< of each process; empty: the trace is not confined
  /// Threads that end while their process goes on: when, the last one first.
  std::vector<std::pair<std::uint64_t, LocationRef>> ends_;
  std::uint64_t next_end_ = ~std::uint64_t{0};
  /// The observers of each kind of call.
  struct ObserverLists {
    std::vector<Observer*> event, other_event, events_so_far, interval, not_recorded, enter, leave, task_created,
        task_started, task_completed, task_switched, task_dependence, thread_ended, team_begun, team_left, team_ended,
        finished;
  } observers_;
  std::unordered_map<CommRef, std::shared_ptr<Team>> teams_;
  OpenTasks tasks_;
  std::unordered_map<OwnNumber, Task*, OwnNumber::Hash> by_id_;  ///< of those; empty where no event names a task by id
  bool has_dependences_ = false, needs_ids_ = false;
  std::uint32_t task_id_, task_flags_, source_id_, sink_id_, cancel_flags_, device_;
  DeclaredDependences declared_;  ///< asked where the trace has no dependences
  VainSearches in_vain_;
  std::uint64_t first_ = ~std::uint64_t{0}, last_ = 0, events_ = 0, irregular_ = 0;
  std::uint64_t enters_ = 0, tasks_begun_ = 0, teams_begun_ = 0;  ///< the numbers given so far
};

template <class Kind>
void Replay::add(Kind& observer) {
  static_assert(std::is_base_of_v<Observer, Kind> && !std::is_same_v<Observer, Kind>,
                "its type determines its functions");
  observers_.finished.push_back(&observer);
  if (!observer.is_concerned()) return;
  // A pointer to a function that Kind does not have is one to the Observer's.
  const auto subscribe = [&]<class Own, class Default>(Own, Default, std::vector<Observer*>& list) {
    if constexpr (!std::is_same_v<Own, Default>) list.push_back(&observer);
  };
  subscribe(&Kind::event, &Observer::event, observers_.event);
  subscribe(&Kind::other_event, &Observer::other_event, observers_.other_event);
  subscribe(&Kind::events_so_far, &Observer::events_so_far, observers_.events_so_far);
  subscribe(&Kind::interval, &Observer::interval, observers_.interval);
  subscribe(&Kind::not_recorded, &Observer::not_recorded, observers_.not_recorded);
  subscribe(&Kind::enter, &Observer::enter, observers_.enter);
  subscribe(&Kind::leave, &Observer::leave, observers_.leave);
  subscribe(&Kind::task_created, &Observer::task_created, observers_.task_created);
  subscribe(&Kind::task_started, &Observer::task_started, observers_.task_started);
  subscribe(&Kind::task_completed, &Observer::task_completed, observers_.task_completed);
  subscribe(&Kind::task_switched, &Observer::task_switched, observers_.task_switched);
  subscribe(&Kind::task_dependence, &Observer::task_dependence, observers_.task_dependence);
  subscribe(&Kind::thread_ended, &Observer::thread_ended, observers_.thread_ended);
  subscribe(&Kind::team_begun, &Observer::team_begun, observers_.team_begun);
  subscribe(&Kind::team_left, &Observer::team_left, observers_.team_left);
  subscribe(&Kind::team_ended, &Observer::team_ended, observers_.team_ended);
}

}  // namespace tracer::report
