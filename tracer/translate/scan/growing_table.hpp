// SPDX-License-Identifier: BSD-3-Clause
// A vector for the tables that grow with the run: growing takes no second copy of what is there, and what is not looked
// at takes no memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "tracer/base/files/spill_file.hpp"

namespace tracer::translate {

/// Rows in one piece, in the order in which they were put. Small tables are plain memory, which the C library moves by
/// its pages (mremap); large ones lie in a file, where there is one. One thread fills it, then any may read.
template <class Row>
class GrowingTable {
  static_assert(std::is_trivially_copyable_v<Row> && alignof(Row) <= alignof(std::max_align_t));

 public:
  static constexpr std::size_t rows_between_releases = 1 << 15;

  GrowingTable() = default;
  /// `spill` outlives it; nullptr: all of it is plain memory.
  explicit GrowingTable(SpillFile* spill) : spill_(spill) {}
  GrowingTable(GrowingTable&& other) noexcept { swap(other); }
  GrowingTable& operator=(GrowingTable&& other) noexcept {
    swap(other);
    return *this;
  }
  ~GrowingTable() {
    if (!block_) std::free(rows_);
  }

  /// Throws std::bad_alloc, and is as before then.
  void push_back(const Row& row) {
    const Row copy = row;  // it may be one of ours
    if (size_ == room_) grow(room_ == 0 ? 4 : room_ * 2);
    ::new (rows_ + size_) Row(copy);
    ++size_;
  }
  /// So many rows, new ones as a Row is made.
  void resize(std::size_t size) {
    while (room_ < size) grow(std::max(size, room_ * 2));
    for (; size_ < size; ++size_) {
      ::new (rows_ + size_) Row();
      if (size_ % rows_between_releases == 0) release();
    }
    size_ = size;
  }

  /// body(row) for each, in order, by one who looks at all of them and, of other tables, at what belongs to them.
  template <class Body>
  void for_each(const Body& body) {
    walk(*this, body);
  }
  template <class Body>
  void for_each(const Body& body) const {
    walk(*this, body);
  }

  /// What is behind who reads it in order is taken out of memory, of all tables in the file.
  void release() const noexcept {
    if (block_) spill_->release();
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  Row& operator[](std::size_t index) noexcept { return rows_[index]; }
  const Row& operator[](std::size_t index) const noexcept { return rows_[index]; }
  const Row& front() const noexcept { return rows_[0]; }
  Row* data() noexcept { return rows_; }
  const Row* data() const noexcept { return rows_; }
  Row* begin() noexcept { return rows_; }
  Row* end() noexcept { return rows_ + size_; }
  const Row* begin() const noexcept { return rows_; }
  const Row* end() const noexcept { return rows_ + size_; }

 private:
  static constexpr std::size_t least_spilled = std::size_t{1} << 20;  // bytes

  template <class Table, class Body>
  static void walk(Table& table, const Body& body) {
    for (std::size_t i = 0; i < table.size_; ++i) {
      body(table.rows_[i]);
      if (i % rows_between_releases == rows_between_releases - 1) table.release();
    }
  }

  void grow(std::size_t room) {
    if (spill_ != nullptr && room * sizeof(Row) >= least_spilled) return grow_in_file();
    void* const rows = std::realloc(static_cast<void*>(rows_), room * sizeof(Row));
    if (rows == nullptr) throw std::bad_alloc();
    rows_ = static_cast<Row*>(rows);
    room_ = room;
  }

  void grow_in_file() {
    if (!block_) {
      auto block = std::make_unique<SpillFile::Block>(*spill_);
      do block->grow();
      while (block->bytes() < (size_ + 1) * sizeof(Row));
      std::copy_n(rows_, size_, static_cast<Row*>(block->data()));
      std::free(rows_);
      block_ = std::move(block);
    } else {
      spill_->release();
      block_->grow();
    }
    rows_ = static_cast<Row*>(block_->data());
    room_ = block_->bytes() / sizeof(Row);
  }

  void swap(GrowingTable& other) noexcept {
    std::swap(rows_, other.rows_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
    std::swap(spill_, other.spill_);
    std::swap(block_, other.block_);
  }

  Row* rows_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
  SpillFile* spill_ = nullptr;
  std::unique_ptr<SpillFile::Block> block_;  ///< of a large one
};

}  // namespace tracer::translate
