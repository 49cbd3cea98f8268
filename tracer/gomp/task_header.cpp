// SPDX-License-Identifier: BSD-3-Clause
// See Header.
#include <cstring>
#include <new>

#include "tracer/gomp/tasks.hpp"

namespace tracer::gomp {
namespace {

void* block_of(Header& header) noexcept {
  return reinterpret_cast<char*>(&header) + header.offset;
}

[[gnu::noinline]] Begun begin_with_header(void* argument) noexcept {
  Header& header = *static_cast<Header*>(argument);
  void* const block = block_of(header);
  begin_past_wait(thread);
  for (std::uint32_t i = 0; i < header.carried; ++i)
    std::memcpy(static_cast<char*>(block) + i * sizeof header.words[0], &header.words[i], sizeof header.words[0]);
  const std::uint64_t id =
      header.task != 0 ? header.task : create_task(header.creator, static_cast<int>(header.flags), false, header.code);
  return begin_task(thread, id, header.function, block);
}

}  // namespace

void run_with_header(void* header) {
  run_task_of(header, &begin_with_header);
}

void copy_with_header(void* to, void* from) {
  const Header& header = *static_cast<const Header*>(from);
  auto& copied = *static_cast<Header*>(to);
  copied = header;
  if (header.carried == 1) std::memcpy(header.data, header.words, sizeof header.words[0]);  // the event of `detach`
  header.copy(block_of(copied), header.data);
}

// A function that copies the block (C++ has such) is called with what the program gave. Where there is none, none is
// given to libgomp either: with one it would keep a copy of each task of a taskloop on its stack.
Header* new_header(const Frame& frame, Function function, void* data, Copy copy, long size, long alignment,
                   unsigned flags) noexcept {
  const std::uint32_t offset = offset_of(alignment);
  const bool is_copied = copy == nullptr && data != nullptr && size > 0;
  const auto aligned = static_cast<std::size_t>(alignment_of(alignment));
  const std::size_t padding = aligned > plain_alignment ? aligned : 0;
  const std::size_t behind = is_copied ? static_cast<std::size_t>(size) : 0;
  auto* const room = static_cast<char*>(thread.rooms.take(frame, padding + offset + behind));
  if (room == nullptr) return nullptr;
  const std::size_t skipped = padding != 0 ? (0 - reinterpret_cast<std::uintptr_t>(room)) & (aligned - 1) : 0;
  auto* const header = new (room + skipped) Header{};
  header->function = function;
  header->copy = copy;
  header->given = copy != nullptr ? &copy_with_header : nullptr;
  header->data = data;
  header->creator = thread.task;
  header->offset = offset;
  header->padding = static_cast<std::uint32_t>(skipped);
  if (data != nullptr && static_cast<std::size_t>(size) >= sizeof header->words && (flags & flag_reduction) != 0)
    std::memcpy(&header->words[2], static_cast<char*>(data) + 16, sizeof header->words[2]);
  if (is_copied) std::memcpy(block_of(*header), data, static_cast<std::size_t>(size));
  return header;
}

[[gnu::noinline]] void give_back(Header* header) noexcept {
  thread.rooms.give_back(room_of(*header));
}

}  // namespace tracer::gomp
