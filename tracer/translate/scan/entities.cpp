// SPDX-License-Identifier: BSD-3-Clause
// See entities.hpp.
#include "tracer/translate/scan/entities.hpp"

#include <algorithm>
#include <array>

namespace tracer::translate {

void Entities::set(std::uint64_t counter, Entity entity) {
  if (size_ == 0) size_ = base_ = counter & ~std::uint64_t{block_size - 1};
  if (counter < base_) return set_sparse(counter, entity);
  const auto block = static_cast<std::size_t>((counter - base_) >> block_bits);
  if (block < blocks_.size()) {
    late_[counter] = entity;
    return;
  }
  while (blocks_.size() < block) close_block();
  const auto place = static_cast<std::size_t>(counter & (block_size - 1));
  if (open_.size() <= place) open_.resize(place + 1);
  open_[place] = entity;
  size_ = std::max(size_, counter + 1);
}

void Entities::set_sparse(std::uint64_t counter, Entity entity) {
  const auto [sparse, is_new] = sparse_.try_emplace(counter, Sparse{entity, in_order_of_rows_.size()});
  sparse->second.entity = entity;
  if (is_new) in_order_of_rows_.push_back(counter);
}

void Entities::close_block() {
  Block block;
  block.entries = static_cast<std::uint32_t>(entries_.size());
  open_.resize(block_size);
  std::array<std::uint8_t, block_size> number{};
  std::array<Entity, most_shared> different;
  std::size_t count = 0, last = 0;
  bool shared = true;
  for (std::size_t place = 0; place < block_size && shared; ++place) {
    const Entity& e = open_[place];
    if (count == 0 || !(different[last] == e)) {
      last = static_cast<std::size_t>(
          std::find(different.begin(), different.begin() + static_cast<std::ptrdiff_t>(count), e) - different.begin());
      shared = last < most_shared;
      if (shared && last == count) different[count++] = e;
    }
    number[place] = static_cast<std::uint8_t>(last);
  }
  if (!shared) {
    block.width = each_its_own;
    for (const Entity& entity : open_) entries_.push_back(entity);
  } else {
    for (std::size_t i = 0; i < count; ++i) entries_.push_back(different[i]);
    block.width = count == 1 ? 0 : count == 2 ? 1 : count <= 4 ? 2 : 4;
    block.bits = static_cast<std::uint32_t>(bits_.size());
    bits_.resize(bits_.size() + block_size * block.width / 64);
    for (std::size_t place = 0; place < block_size && block.width != 0; ++place) {
      const std::size_t bit = place * block.width;
      bits_[block.bits + bit / 64] |= std::uint64_t{number[place]} << (bit % 64);
    }
  }
  blocks_.push_back(block);
  open_.clear();
}

}  // namespace tracer::translate
