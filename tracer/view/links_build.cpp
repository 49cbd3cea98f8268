// SPDX-License-Identifier: BSD-3-Clause
// See links_build.hpp.
#include "tracer/view/links_build.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/files/pending_output.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/error.hpp"
#include "tracer/index/store.hpp"
#include "tracer/own_number.hpp"
#include "tracer/replay/reading_progress.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/replay/timeline.hpp"
#include "tracer/report/mpi/path_of_run.hpp"
#include "tracer/view/background.hpp"

namespace tracer::view {
namespace {

/// What a timeline has as arrows, messages and counters.
class TimelineLinks final : public TimelineVisitor {
 public:
  explicit TimelineLinks(LinksWriter& to) : to_{to} {}
  void arrow(const Arrow& of) override {
    to_.link({static_cast<LinkKind>(of.kind), of.from, of.to, of.from_time, of.to_time});
  }
  void message(const Message& of) override { to_.link({LinkKind::message, of.from, of.to, of.from_time, of.to_time}); }
  /// What is no finite number can be neither drawn nor be a least or greatest value.
  void counter(const Counter& of) override {
    if (const double value = number_of(of); std::isfinite(value)) to_.counter(of.metric, of.location, {of.time, value});
  }

 private:
  LinksWriter& to_;
};

/// Predecessors of tasks, and locks that go from one location to another. Tasks and locks of which nothing more is
/// heard are forgotten when there are very many.
class HandOvers final : public report::Observer {
 public:
  HandOvers(const report::Replay& replay, LinksWriter& to) : replay_{replay}, to_{to} {}
  void task_dependence(report::Task& source, report::Task& sink) override {
    if (ends_.size() >= most) ends_.clear();
    ends_.try_emplace(source.number);
    befores_[sink.number].push_back(source.number);
  }
  void task_started(LocationRef location, report::Task& task) override {
    const auto befores = befores_.find(task.number);
    if (befores == befores_.end()) return;
    for (const std::uint64_t number : befores->second) {
      const auto end = ends_.find(number);
      if (end == ends_.end() || end->second.time == 0) continue;
      to_.link({LinkKind::dependence, end->second.location, location, end->second.time, task.first_start});
    }
    befores_.erase(befores);
  }
  void task_completed(LocationRef location, report::Task& task, std::uint64_t time) override {
    if (const auto end = ends_.find(task.number); end != ends_.end()) end->second = {location, time};
  }
  void other_event(LocationRef location, const Event& event, std::span<const EventAttribute>) override {
    if (event.type != EventType::acquire_lock && event.type != EventType::release_lock) return;
    const OwnNumber number = replay_.in_process(location, lock_number(event));
    if (event.type == EventType::release_lock) {
      if (locks_.size() >= most) locks_.clear();
      locks_[number] = {location, event.time};
      return;
    }
    const auto before = locks_.find(number);
    if (before == locks_.end() || before->second.location == location) return;
    to_.link({LinkKind::lock, before->second.location, location, before->second.time, event.time});
  }

 private:
  static constexpr std::size_t most = 1 << 20;
  struct Place {
    LocationRef location = 0;
    std::uint64_t time = 0;
  };
  const report::Replay& replay_;
  LinksWriter& to_;
  std::unordered_map<std::uint64_t, Place> ends_;                          ///< of predecessors, by the task's number
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> befores_;  ///< by the number of the task behind them
  std::unordered_map<OwnNumber, Place, OwnNumber::Hash> locks_;            ///< where it was released last
};

/// Steps of a path that are kept one by one; of a longer run those that are nearer are put together.
std::uint64_t resolution_of(EventSource& source) {
  constexpr std::uint64_t events_kept = 4'000'000, steps = 1'000'000;
  return source.number_of_events() <= events_kept ? 0 : source.definitions().clock.length / steps;
}

/// Without a name: on the disk, else in memory.
UniqueFd file_without_name() {
  std::error_code error;
  const std::string place = std::filesystem::temp_directory_path(error).string();
  UniqueFd fd = make_file_without_name(place.c_str(), "tracer-links");
  if (!fd) throw Error{"there is no place for them"};
  return fd;
}

}  // namespace

void build_links(EventSource& source, std::uint64_t stamp, LinksWriter& to,
                 const std::function<void(double)>& progress) {
  const Definitions& definitions = source.definitions();
  report::Replay replay{definitions};
  report::ReadingProgress how_far{source.number_of_events(), progress};
  TimelineLinks links{to};
  report::Timeline timeline{definitions, links};
  report::TimelineMessages messages{definitions, replay, links};
  HandOvers hand_overs{replay, to};
  const std::uint64_t resolution = resolution_of(source);
  report::PathOfRun path{definitions, replay, resolution};
  replay.add(how_far);
  replay.add(messages.observer());
  replay.add(timeline);
  replay.add(hand_overs);
  path.add_to(replay);
  source.read(replay);
  replay.finish();
  std::vector<const report::Step*> steps;
  for (const report::Step* step = path.trail().get(); step != nullptr; step = step->before.get()) steps.push_back(step);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    to.step({(*step)->location, (*step)->from, (*step)->to});
  to.finish(stamp, resolution);
}

LinksMaker::LinksMaker(std::vector<Wanted> wanted)
    : wanted_{std::move(wanted)}, made_(wanted_.size()), failures_(wanted_.size()) {
  thread_ = in_background([this] { work(); });
}

LinksMaker::~LinksMaker() {
  must_end_ = true;
  thread_.join();
}

std::shared_ptr<const LinksFile> LinksMaker::links(std::size_t trace) const {
  const std::lock_guard lock{mutex_};
  return made_.at(trace);
}

std::string LinksMaker::failure(std::size_t trace) const {
  const std::lock_guard lock{mutex_};
  return failures_.at(trace);
}

void LinksMaker::work() {
  for (std::size_t i = 0; i < wanted_.size() && !must_end_; ++i) {
    std::string why;
    try {
      std::shared_ptr<const LinksFile> file = open_or_make(i);
      const std::lock_guard lock{mutex_};
      made_[i] = std::move(file);
      continue;
    } catch (const Ended&) {
      return;
    } catch (const std::bad_alloc&) {
      why = "there is not enough memory";
    } catch (const std::exception& error) {
      why = error.what();
    }
    const std::lock_guard lock{mutex_};
    failures_[i] = "no arrows, critical path and counters of " + wanted_[i].title + ": " + why;
  }
}

std::shared_ptr<const LinksFile> LinksMaker::open_or_make(std::size_t number) {
  const Wanted& of = wanted_[number];
  for (const std::filesystem::path& path : of.paths) {
    try {
      if (RegularFile file = open_regular(path.c_str(), Links::follow))
        return std::make_shared<LinksFile>(std::move(file.fd), of.stamp, of.locations);
    } catch (const Error&) {
      // They are made anew, as the index is.
    }
  }
  const auto source = otf2::open_archive(of.anchor);
  for (const std::filesystem::path& path : of.paths) {
    if (::access(path.parent_path().c_str(), W_OK) != 0) continue;
    try {
      PendingOutput pending{path, PendingOutput::Named::by_tracer};
      const UniqueFd fd{::open(pending.path().c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
      if (!fd) continue;
      auto made = make(number, *source, fd.get());
      pending.keep();
      return made;
    } catch (const Error&) {
      // There may be space elsewhere.
    }
  }
  return make(number, *source, file_without_name().get());
}

std::shared_ptr<const LinksFile> LinksMaker::make(std::size_t number, otf2::PositionedSource& source, int fd) {
  const Wanted& of = wanted_[number];
  index::require_unchanged(source, of.stamp);
  LinksWriter writer{fd};
  build_links(source, of.stamp, writer, [&](double share) {
    if (must_end_) throw Ended{};
    share_ = (static_cast<double>(number) + share) / static_cast<double>(wanted_.size());
  });
  index::require_unchanged(source, of.stamp);
  return std::make_shared<LinksFile>(UniqueFd{::fcntl(fd, F_DUPFD_CLOEXEC, 0)}, of.stamp, of.locations);
}

}  // namespace tracer::view
