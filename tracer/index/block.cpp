// SPDX-License-Identifier: BSD-3-Clause
// See block.hpp. A payload begins with its sums, which are read most.
#include "tracer/index/block.hpp"

#include "tracer/base/packed_numbers.hpp"
#include "tracer/error.hpp"

namespace tracer::index {
namespace {

void put_owner(std::string& out, const Owner& owner) {
  put_number(out, owner.generation);
  put_number(out, owner.rank);
  if (owner.is_explicit()) put_number(out, owner.comm);
}

Owner owner_of(BytesIn& in) {
  Owner owner;
  owner.generation = in.number();
  owner.rank = static_cast<std::uint32_t>(in.number());
  if (owner.is_explicit()) owner.comm = static_cast<CommRef>(in.number());
  return owner;
}

template <class Visit>
void read_sums(BytesIn& in, Visit&& visit) {
  for (std::size_t left = in.count(); left != 0 && in.ok(); --left) {
    Sum sum;
    sum.region = static_cast<RegionRef>(in.number());
    sum.depth = static_cast<std::uint32_t>(in.number());
    sum.count = in.number();
    sum.inclusive = in.number();
    sum.own = sum.inclusive - in.number();
    if (sum.depth >= most_depth) throw Error{"an index has a depth that cannot be"};
    if (in.ok()) visit(sum);
  }
}

void require(const BytesIn& in) {
  if (!in.ok()) throw Error{"a block of an index is cut off or damaged"};
}

}  // namespace

void put_place(std::string& out, const BlockPlace& place) {
  for (const std::uint64_t word :
       {place.time, place.ordinal, place.position.offset, place.position.time, place.position.event, place.payload})
    put_word(out, word);
}

BlockPlace place_at(std::string_view table, std::size_t index) {
  BytesIn in{table.substr(index * block_place_bytes)};
  BlockPlace place;
  place.time = in.word();
  place.ordinal = in.word();
  place.position.offset = in.word();
  place.position.time = in.word();
  place.position.event = in.word();
  place.payload = in.word();
  require(in);
  return place;
}

void put_sums(std::string& out, const std::vector<Sum>& sums) {
  put_number(out, sums.size());
  for (const Sum& sum : sums) {
    put_number(out, sum.region);
    put_number(out, sum.depth);
    put_number(out, sum.count);
    put_number(out, sum.inclusive);
    put_number(out, sum.inclusive - sum.own);
  }
}

void put_block(std::string& out, const Block& block, std::uint64_t time) {
  put_sums(out, block.sums);
  const LaneState& state = block.state;
  put_owner(out, state.current);
  put_number(out, state.teams);
  put_number(out, state.deeper);
  put_number(out, state.open.size());
  Owner last = state.current;
  for (const OpenRegion& one : state.open) {
    put_number(out, one.region);
    put_number(out, time - one.begin);
    put_number(out, (one.owner == last ? 0u : 2u) + (one.continues ? 1u : 0u));
    if (one.owner != last) put_owner(out, one.owner);
    last = one.owner;
  }
  put_number(out, state.forks.size());
  for (const Fork& fork : state.forks) {
    put_owner(out, fork.from);
    put_number(out, fork.teams);
  }
  put_number(out, block.resumed.size());
  std::uint64_t before = 0;
  for (const Resumed& task : block.resumed) {
    put_number(out, task.ordinal - before);
    before = task.ordinal;
    put_number(out, task.regions.size());
    for (const RegionRef region : task.regions) put_number(out, region);
  }
}

Block block_of(std::string_view payload, std::uint64_t time) {
  BytesIn in{payload};
  Block block;
  read_sums(in, [&](const Sum& sum) { block.sums.push_back(sum); });
  LaneState& state = block.state;
  state.current = owner_of(in);
  state.teams = static_cast<std::uint32_t>(in.number());
  state.deeper = in.number();
  Owner last = state.current;
  for (std::size_t left = in.count(); left != 0 && in.ok(); --left) {
    OpenRegion one;
    one.region = static_cast<RegionRef>(in.number());
    one.begin = time - in.number();
    const std::uint64_t how = in.number();
    one.continues = (how & 1) != 0;
    one.owner = (how & 2) != 0 ? owner_of(in) : last;
    last = one.owner;
    state.open.push_back(one);
  }
  for (std::size_t left = in.count(); left != 0 && in.ok(); --left) {
    Fork fork;
    fork.from = owner_of(in);
    fork.teams = static_cast<std::uint32_t>(in.number());
    state.forks.push_back(fork);
  }
  std::uint64_t ordinal = 0;
  for (std::size_t left = in.count(); left != 0 && in.ok(); --left) {
    Resumed task;
    task.ordinal = ordinal += in.number();
    for (std::size_t regions = in.count(); regions != 0 && in.ok(); --regions)
      task.regions.push_back(static_cast<RegionRef>(in.number()));
    block.resumed.push_back(std::move(task));
  }
  require(in);
  if (state.open.size() > most_depth || state.forks.size() > most_depth)
    throw Error{"an index has a depth that cannot be"};
  return block;
}

void add_sums(std::string_view payload, Sums& to) {
  BytesIn in{payload};
  read_sums(in, [&](const Sum& sum) { to.add(sum); });
  require(in);
}

}  // namespace tracer::index
