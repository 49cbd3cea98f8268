// SPDX-License-Identifier: BSD-3-Clause
// What the ids of a channel name: one entry for each parallel region, implicit task and explicit task that its thread
// made, by the id's counter. Programs make tasks by the hundred million, most of them alike: counters go in blocks, a
// block keeps each different entry once and a few bits per counter. A loop that makes tasks takes 0.1 bytes a task.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "tracer/translate/scan/growing_table.hpp"

namespace tracer::translate {

inline constexpr std::uint32_t none = 0xffffffffu;

/// `index` into parallels or implicits; for an explicit task the implicit instance that created it,
/// and the site that names its region.
struct Entity {
  std::uint32_t index = none;
  std::uint32_t site = none;
  friend bool operator==(const Entity&, const Entity&) = default;
};

/// Filled in the order of counters, more or less; read by any number of threads once it is filled.
class Entities {
 public:
  /// `spill`: where large ones lie (growing_table.hpp).
  explicit Entities(SpillFile* spill = nullptr) : entries_(spill) {}
  /// One more than the largest counter that was set.
  std::uint64_t size() const noexcept { return size_; }

  /// Tables of others that have a row for each counter have so many, from 0 on, in the order of for_each().
  std::size_t rows() const noexcept { return dense() + sparse_.size(); }
  static constexpr std::size_t no_row = std::numeric_limits<std::size_t>::max();
  /// no_row: of a counter behind all that were set, or of one before the base that was not.
  std::size_t row(std::uint64_t counter) const noexcept {
    if (!sparse_.empty()) [[unlikely]]
      if (const auto sparse = sparse_.find(counter); sparse != sparse_.end()) return dense() + sparse->second.row;
    return counter - base_ < dense() ? static_cast<std::size_t>(counter - base_) : no_row;
  }

  /// What was set last; Entity{} for what was not set.
  Entity get(std::uint64_t counter) const noexcept {
    if (!sparse_.empty()) [[unlikely]]
      if (const auto sparse = sparse_.find(counter); sparse != sparse_.end()) return sparse->second.entity;
    if (counter - base_ >= dense()) return {};
    if (!late_.empty()) [[unlikely]]
      if (const auto late = late_.find(counter); late != late_.end()) return late->second;
    const auto block = static_cast<std::size_t>((counter - base_) >> block_bits);
    const auto place = static_cast<std::size_t>(counter & (block_size - 1));
    if (block == blocks_.size()) return open_[place];
    const Block& b = blocks_[block];
    return entries_[b.entries + place_in(b, place)];
  }

  void set(std::uint64_t counter, Entity entity);
  /// The same, for one that is far from the others: it takes some 80 bytes, and what is between them none.
  void set_sparse(std::uint64_t counter, Entity entity);
  /// Where the block of the counter that was set first begins: ids count from the start of the run, and what a flight
  /// recorder has left of it begins anywhere. 0 as long as nothing was set.
  std::uint64_t base() const noexcept { return base_; }

  /// body(counter, entity): those from the base on, in order; then those before it or far from the others.
  template <class Body>
  void for_each(const Body& body) const {
    for (std::uint64_t counter = base_; counter < size_; ++counter) {
      body(counter, get(counter));
      if (counter % entries_.rows_between_releases == 0) entries_.release();
    }
    for (const std::uint64_t counter : in_order_of_rows_) body(counter, sparse_.at(counter).entity);
  }

 private:
  static constexpr unsigned block_bits = 8;
  static constexpr std::size_t block_size = std::size_t{1} << block_bits;
  static constexpr std::uint8_t each_its_own = 0xff;
  static constexpr std::size_t most_shared = 16;

  struct Block {
    std::uint32_t entries = 0;  ///< its first in entries_
    std::uint32_t bits = 0;     ///< its first word in bits_
    std::uint8_t width = 0;     ///< bits per counter: 0, 1, 2, 4; or each_its_own
  };

  /// Before the base, or far behind: of a wrong or damaged trace, or behind lost records.
  struct Sparse {
    Entity entity;
    std::size_t row = 0;  ///< behind all from the base on
  };

  std::size_t dense() const noexcept { return static_cast<std::size_t>(size_ - base_); }
  std::size_t place_in(const Block& b, std::size_t place) const noexcept {
    if (b.width == 0) return 0;
    if (b.width == each_its_own) return place;
    const std::size_t bit = place * b.width;
    return (bits_[b.bits + bit / 64] >> (bit % 64)) & ((1u << b.width) - 1);
  }

  void close_block();

  std::uint64_t size_ = 0, base_ = 0;
  std::vector<Block> blocks_;  ///< closed
  GrowingTable<Entity> entries_;
  std::vector<std::uint64_t> bits_;
  std::vector<Entity> open_;                        ///< the block behind blocks_, as far as it was set
  std::unordered_map<std::uint64_t, Entity> late_;  ///< set when their block was closed: wrong or damaged traces
  std::unordered_map<std::uint64_t, Sparse> sparse_;
  std::vector<std::uint64_t> in_order_of_rows_;  ///< counters of sparse_
};

}  // namespace tracer::translate
