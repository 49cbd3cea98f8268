// SPDX-License-Identifier: BSD-3-Clause
// Several sinks for what is found of MPI, one after the other.
#pragma once

#include <initializer_list>
#include <vector>

#include "tracer/replay/mpi/messages.hpp"

namespace tracer::report {

class MpiSinks final : public MpiSink {
 public:
  MpiSinks(std::initializer_list<MpiSink*> sinks) : sinks_(sinks) {}
  void sent(std::uint32_t from, std::uint32_t to, RegionRef region, std::uint64_t bytes) override {
    for (MpiSink* sink : sinks_) sink->sent(from, to, region, bytes);
  }
  void received(std::uint32_t rank, RegionRef region, std::uint64_t bytes) override {
    for (MpiSink* sink : sinks_) sink->received(rank, region, bytes);
  }
  void one_sided(std::uint32_t rank, RegionRef region, std::uint64_t sent, std::uint64_t received) override {
    for (MpiSink* sink : sinks_) sink->one_sided(rank, region, sent, received);
  }
  void end(const MpiMessage& message, bool is_send) override {
    for (MpiSink* sink : sinks_) sink->end(message, is_send);
  }
  void message(const MpiMessage& message) override {
    for (MpiSink* sink : sinks_) sink->message(message);
  }
  void collective(std::uint32_t rank, RegionRef region, std::uint64_t sent, std::uint64_t received) override {
    for (MpiSink* sink : sinks_) sink->collective(rank, region, sent, received);
  }
  void meeting(const MpiMeeting& meeting) override {
    for (MpiSink* sink : sinks_) sink->meeting(meeting);
  }
  void waited(const MpiWaited& waited) override {
    for (MpiSink* sink : sinks_) sink->waited(waited);
  }

 private:
  std::vector<MpiSink*> sinks_;
};

}  // namespace tracer::report
