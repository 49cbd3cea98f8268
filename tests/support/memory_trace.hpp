// SPDX-License-Identifier: BSD-3-Clause
// A raw trace and a sink in memory: records that a test writes down, and the events they become.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tracer/event_sink.hpp"
#include "tracer/trace_source.hpp"

namespace tracer::test {

class MemorySource : public TraceSource {
 public:
  /// Also declares the channel's thread.
  std::vector<Record>& channel(ChannelId id) {
    while (journal_.channels.size() <= id) {
      ChannelInfo info;
      info.id = static_cast<ChannelId>(journal_.channels.size());
      info.os_thread_id = 100 + info.id;
      journal_.channels.push_back(info);
    }
    return records_[id];
  }
  Journal& journal_to_fill() { return journal_; }

  const Journal& journal() const override { return journal_; }
  std::unique_ptr<RecordReader> records(ChannelId channel) const override {
    const auto it = records_.find(channel);
    return std::make_unique<Reader<RecordReader, Record>>(it == records_.end() ? std::vector<Record>{} : it->second);
  }
  std::unique_ptr<DeviceReader> device_records() const override {
    return std::make_unique<Reader<DeviceReader, DeviceRecord>>(device_);
  }
  std::vector<DeviceRecord> device_;

 private:
  template <class Base, class Item>
  class Reader : public Base {
   public:
    explicit Reader(std::vector<Item> items) : items_(std::move(items)) {}
    std::span<const Item> next() override {
      const std::span<const Item> all(items_);
      return std::exchange(done_, true) ? std::span<const Item>{} : all;
    }

   private:
    std::vector<Item> items_;
    bool done_ = false;
  };

  Journal journal_;
  std::map<ChannelId, std::vector<Record>> records_;
};

/// Keeps everything; throws nothing.
class MemorySink : public EventSink {
 public:
  struct Location {
    std::vector<Event> events;
    std::vector<EventAttribute> attributes;
    bool closed = false;
  };
  std::unique_ptr<LocationWriter> open(LocationRef location) override {
    const std::lock_guard lock(mutex_);
    return std::make_unique<Writer>(locations[location]);
  }
  void finish(const Definitions& d) override { definitions = d; }

  /// "12 enter !$omp parallel @f.c:1" per event, times relative to the trace's begin.
  std::vector<std::string> text(LocationRef location) const;

  std::map<LocationRef, Location> locations;
  Definitions definitions;

 private:
  class Writer : public LocationWriter {
   public:
    explicit Writer(Location& location) : location_(location) {}
    void write(std::span<const Event> events, std::span<const EventAttribute> attributes) override {
      location_.events.insert(location_.events.end(), events.begin(), events.end());
      location_.attributes.insert(location_.attributes.end(), attributes.begin(), attributes.end());
    }
    void close() override { location_.closed = true; }

   private:
    Location& location_;
  };
  std::mutex mutex_;
};

inline std::vector<std::string> MemorySink::text(LocationRef location) const {
  static const char* const names[] = {"program_begin", "program_end", "enter",     "leave",       "fork",
                                      "join",          "team_begin",  "team_end",  "task_create", "task_switch",
                                      "task_complete", "acquire",     "release",   "measurement", "buffer_flush",
                                      "parameter",     "parameter",   "parameter", "rma_get",     "rma_put",
                                      "rma_complete",  "metric"};
  std::vector<std::string> lines;
  const auto it = locations.find(location);
  if (it == locations.end()) return lines;
  for (const Event& e : it->second.events) {
    std::string line =
        std::to_string(e.time - definitions.clock.offset) + " " + names[static_cast<std::size_t>(e.type)];
    switch (e.type) {
      case EventType::enter:
      case EventType::leave:
        line += " " + definitions.regions.at(e.ref).name;
        break;
      case EventType::team_begin:
      case EventType::team_end:
        line += " " + std::to_string(e.ref);
        break;
      case EventType::task_create:
      case EventType::task_switch:
      case EventType::task_complete:
      case EventType::acquire_lock:
      case EventType::release_lock:
        line += " " + std::to_string(e.a) + "." + std::to_string(e.b);
        break;
      case EventType::thread_fork:
        line += " " + std::to_string(e.a);
        break;
      default:
        break;
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace tracer::test
