// SPDX-License-Identifier: BSD-3-Clause
// A vector for the tables that grow with the run: growing takes no second copy of what is there.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace tracer::translate {

/// Rows in one piece, in the order in which they were put. The C library moves large pieces by their pages (mremap),
/// and of room that was made ahead nothing is there before it is used: memory is that of the rows. One thread fills it,
/// then any may read.
template <class Row>
class GrowingTable {
  static_assert(std::is_trivially_copyable_v<Row> && alignof(Row) <= alignof(std::max_align_t));

 public:
  GrowingTable() = default;
  GrowingTable(GrowingTable&& other) noexcept
      : rows_(std::exchange(other.rows_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        room_(std::exchange(other.room_, 0)) {}
  GrowingTable& operator=(GrowingTable&& other) noexcept {
    std::swap(rows_, other.rows_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
    return *this;
  }
  ~GrowingTable() { std::free(rows_); }

  /// Throws std::bad_alloc, and is as before then.
  void push_back(const Row& row) {
    const Row copy = row;  // it may be one of ours
    if (size_ == room_) grow();
    ::new (rows_ + size_) Row(copy);
    ++size_;
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
  void grow() {
    const std::size_t room = room_ == 0 ? 4 : room_ * 2;
    void* const rows = std::realloc(static_cast<void*>(rows_), room * sizeof(Row));
    if (rows == nullptr) throw std::bad_alloc();
    rows_ = static_cast<Row*>(rows);
    room_ = room;
  }

  Row* rows_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

}  // namespace tracer::translate
