// SPDX-License-Identifier: BSD-3-Clause
// See messages_of_job.hpp.
#include "tracer/merge/messages_of_job.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/otf2/read/head_heap.hpp"
#include "formats/otf2/read/reader.hpp"
#include "tracer/error.hpp"
#include "tracer/number_map.hpp"
#include "tracer/translate/parallel_for.hpp"

namespace tracer {
namespace {

struct Key {
  std::uint32_t comm, from, to, tag;  ///< from, to: parts
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const noexcept {
    std::size_t hash = key.comm;
    for (const std::uint32_t part : {key.from, key.to, key.tag}) hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
  }
};
struct Ends {
  std::vector<std::uint64_t> sent, received;
};

class Messages {
 public:
  Messages(const std::vector<PartWithMessages>& parts, std::size_t most) : parts_(parts) {
    for (const PartWithMessages& part : parts)
      if (!part.mpi->empty()) worlds_.add(*part.mpi);
    part_of_.assign(worlds_.size(), none);
    for (std::uint32_t p = 0; p < parts.size(); ++p) {
      if (parts[p].mpi->empty()) continue;
      const std::uint64_t rank = worlds_.base(*parts[p].mpi) + parts[p].mpi->rank;
      if (rank < part_of_.size()) part_of_[rank] = p;
    }
    most_ = std::max<std::size_t>(2 * most / std::max<std::size_t>(parts.size(), 1), 1024);
  }

  /// Ends are added part by part, by whatever threads they are read: the result is the same.
  void read_all(unsigned threads) {
    const auto count = static_cast<std::uint32_t>(parts_.size());
    const auto at_once = static_cast<std::uint32_t>(std::min<std::size_t>(most_bytes / (most_ * sizeof(End)), count));
    if (threads < 2 || at_once < 2) {
      for (std::uint32_t p = 0; p < count; ++p) read(Part(*this, p), [this](const End& end) { add(end); });
      return;
    }
    for (std::uint32_t begin = 0; begin < count; begin += at_once) {
      std::vector<Part> some;
      for (std::uint32_t p = begin; p < std::min(begin + at_once, count); ++p) some.emplace_back(*this, p);
      std::vector<std::vector<End>> ends(some.size());
      translate::parallel_for(some.size(), threads,
                              [&](std::size_t n) { read(some[n], [&](const End& end) { ends[n].push_back(end); }); });
      for (const auto& of_part : ends)
        for (const End& end : of_part) add(end);
    }
  }

  std::vector<MessageOfJob> matched() {
    std::vector<MessageOfJob> all;
    for (auto& [key, ends] : ends_) {
      if (ends.sent.size() < ends.received.size()) continue;
      std::sort(ends.sent.begin(), ends.sent.end());
      std::sort(ends.received.begin(), ends.received.end());
      for (std::size_t i = 0; i < ends.received.size(); ++i)
        all.push_back({key.from, key.to, ends.sent[i], ends.received[i]});
    }
    return all;
  }

 private:
  static constexpr std::uint32_t none = 0xffffffffu;
  /// Of the ends of parts that are read side by side.
  static constexpr std::size_t most_bytes = std::size_t{128} << 20;

  /// One end of a message to or from another clock.
  struct End {
    Key key{};
    bool is_send = false;
    std::uint64_t time = 0;
  };
  /// The communicators that reach other clocks, by the part's reference.
  struct Comm {
    std::uint32_t number = 0;
    const std::vector<std::uint64_t>* members = nullptr;
  };
  struct Part {
    std::uint32_t index;
    NumberMap<Comm> comms;

    Part(Messages& all, std::uint32_t p) : index(p) {
      const otf2::PartOfMpi& mpi = *all.parts_[p].mpi;
      for (const auto& [number, comm] : mpi.comms) {
        if (!comm.ref) continue;
        const std::string identity = all.worlds_.identity(mpi, comm.identity);
        const auto known = all.worlds_.comms().find(identity);
        if (known == all.worlds_.comms().end() || !known->second.remote->empty()) continue;
        const auto& members = *known->second.members;
        if (members.size() != known->second.size) continue;
        const auto own = all.numbers_.emplace(identity, static_cast<std::uint32_t>(all.numbers_.size())).first->second;
        comms[*comm.ref] = {own, &members};
      }
    }
  };

  struct Stream {
    otf2::EventReader reader;
    End end;  ///< that comes next
  };

  /// All threads together, in the order of time: no known send is later than one that is left out.
  template <class Take>
  void read(const Part& part, const Take& take) const try {
    if (part.comms.empty()) return;
    const otf2::Trace trace = otf2::Trace::open(parts_[part.index].directory);
    std::vector<Stream> streams;
    otf2::HeadHeap heads;
    for (const auto& location : trace.definitions().locations) {
      streams.push_back({trace.events(location.ref), {}});
      if (next(part, streams.back())) heads.add({streams.back().end.time, streams.size() - 1});
    }
    for (std::size_t left = most_; left != 0 && !heads.empty(); --left) {
      const std::size_t first = heads.first().second;
      Stream& stream = streams[first];
      take(stream.end);
      if (next(part, stream))
        heads.change_first({stream.end.time, first});
      else
        heads.remove_first();
    }
  } catch (const Error&) {  // its events cannot be read further: the join reports it
  }

  /// False: there is none any more.
  bool next(const Part& part, Stream& stream) const {
    for (otf2::EventView event; stream.reader.next(event);)
      if (is_end(part, event, stream.end)) return true;
    return false;
  }

  bool is_end(const Part& part, const otf2::EventView& event, End& end) const {
    using Kind = otf2::EventKind;
    const bool is_send = event.kind == Kind::mpi_send || event.kind == Kind::mpi_isend;
    if (!is_send && event.kind != Kind::mpi_recv && event.kind != Kind::mpi_irecv) return false;
    const auto comm = part.comms.find(event.field[1]);
    if (comm == part.comms.end() || event.field[0] >= comm->second.members->size()) return false;
    const std::uint64_t rank = (*comm->second.members)[event.field[0]];
    const std::uint32_t other = rank < part_of_.size() ? part_of_[rank] : none;
    if (other == none || parts_[other].clock == parts_[part.index].clock) return false;
    const std::uint32_t from = is_send ? part.index : other, to = is_send ? other : part.index;
    end = {{comm->second.number, from, to, static_cast<std::uint32_t>(event.field[2])}, is_send, event.time};
    return true;
  }

  void add(const End& end) {
    Ends& ends = ends_[end.key];
    (end.is_send ? ends.sent : ends.received).push_back(end.time);
  }

  const std::vector<PartWithMessages>& parts_;
  otf2::MpiWorlds worlds_;
  std::vector<std::uint32_t> part_of_;  ///< by rank in all worlds
  std::map<std::string, std::uint32_t> numbers_;
  std::unordered_map<Key, Ends, KeyHash> ends_;
  std::size_t most_ = 0;
};

}  // namespace

std::vector<MessageOfJob> messages_of(const std::vector<PartWithMessages>& parts, unsigned threads, std::size_t most) {
  Messages messages(parts, most);
  messages.read_all(threads);
  return messages.matched();
}

}  // namespace tracer
