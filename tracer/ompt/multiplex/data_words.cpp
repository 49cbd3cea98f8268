// SPDX-License-Identifier: BSD-3-Clause
// See data_words.hpp. There is no lock: a child of fork() may find one that nobody will give back.
#include "tracer/ompt/multiplex/data_words.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <new>

namespace tracer::ompt::several {
namespace {

// A block is a header, whose upper half counts its uses and whose lower half is the number of the next free one, and
// the tools' words. Numbers begin with 1.
using Word = std::atomic<std::uint64_t>;
constexpr std::uint32_t blocks_of_chunk = 1024, most_chunks = 8192;
constexpr std::uint32_t batch = 64;

constinit std::atomic<Word*> chunks[most_chunks] = {};
constinit std::atomic<std::uint32_t> chunks_made{0};
constinit std::atomic<unsigned> words_of_block{2};

constinit thread_local ThreadWords* own __attribute__((tls_model("initial-exec"))) = nullptr;

/// Free blocks that threads have left over: the number of the first, and in the upper half how often the list has
/// changed. A thread that looked at one that is another by now finds it so.
constinit std::atomic<std::uint64_t> spare{0};

Word* block_of(std::uint32_t number) noexcept {
  if (number == 0) return nullptr;
  const std::uint32_t chunk = (number - 1) / blocks_of_chunk;
  Word* const first = chunk < most_chunks ? chunks[chunk].load(std::memory_order_acquire) : nullptr;
  if (first == nullptr) return nullptr;
  return first + std::size_t{(number - 1) % blocks_of_chunk} * words_of_block.load(std::memory_order_relaxed);
}

std::uint32_t next_of(std::uint32_t number) noexcept {
  const Word* const block = block_of(number);
  return block != nullptr ? static_cast<std::uint32_t>(block->load(std::memory_order_relaxed)) : 0;
}
void set_next(std::uint32_t number, std::uint32_t next) noexcept {
  Word* const block = block_of(number);
  block->store((block->load(std::memory_order_relaxed) >> 32 << 32) | next, std::memory_order_relaxed);
}

bool make_chunk(ThreadWords& thread) noexcept {
  const std::size_t bytes = std::size_t{blocks_of_chunk} * words_of_block.load() * sizeof(Word);
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  const std::uint32_t chunk = chunks_made.fetch_add(1, std::memory_order_relaxed);
  if (chunk >= most_chunks) {
    chunks_made.store(most_chunks, std::memory_order_relaxed);
    ::munmap(memory, bytes);
    return false;
  }
  chunks[chunk].store(static_cast<Word*>(memory), std::memory_order_release);
  const std::uint32_t first = chunk * blocks_of_chunk + 1;
  for (std::uint32_t i = 0; i < blocks_of_chunk; ++i)
    set_next(first + i, i + 1 < blocks_of_chunk ? first + i + 1 : thread.free_head);
  thread.free_head = first;
  thread.free_count += blocks_of_chunk;
  return true;
}

/// The list `spare` when it begins with another block.
std::uint64_t changed(std::uint64_t list, std::uint32_t first) noexcept {
  return ((list >> 32) + 1) << 32 | first;
}

// What it looks at may be in use by then: such a list has changed, and is looked at again.
void take_spare(ThreadWords& thread) noexcept {
  std::uint64_t list = spare.load(std::memory_order_acquire);
  while (const auto first = static_cast<std::uint32_t>(list)) {
    std::uint32_t last = first, rest = next_of(first), taken = 1;
    for (; taken < batch && rest != 0; ++taken) {
      last = rest;
      rest = next_of(rest);
    }
    if (!spare.compare_exchange_weak(list, changed(list, rest), std::memory_order_acquire)) continue;
    set_next(last, thread.free_head);
    thread.free_head = first;
    thread.free_count += taken;
    return;
  }
}

/// One thread makes tasks which others end: what these have in excess comes back to it.
void give_spare(ThreadWords& thread, std::uint32_t count) noexcept {
  const std::uint32_t first = thread.free_head;
  if (first == 0) return;
  std::uint32_t last = first, rest = next_of(first), given = 1;
  for (; given < count && rest != 0; ++given) {
    last = rest;
    rest = next_of(rest);
  }
  thread.free_head = rest;
  thread.free_count -= given;
  std::uint64_t list = spare.load(std::memory_order_relaxed);
  do {
    set_next(last, static_cast<std::uint32_t>(list));
  } while (
      !spare.compare_exchange_weak(list, changed(list, first), std::memory_order_release, std::memory_order_relaxed));
}

}  // namespace

ThreadWords* thread_words() noexcept {
  if (own == nullptr) own = new (std::nothrow) ThreadWords;
  return own;
}

void forget_thread_words() noexcept {
  if (own == nullptr) return;
  give_spare(*own, own->free_count);
  delete own;
  own = nullptr;
}

void set_number_of_tools(unsigned tools) noexcept {
  words_of_block.store(1 + tools);
}

std::uint64_t make_words() noexcept {
  ThreadWords* const thread = thread_words();
  if (thread == nullptr) return 0;
  if (thread->free_head == 0) take_spare(*thread);
  if (thread->free_head == 0 && !make_chunk(*thread)) return 0;
  const std::uint32_t number = thread->free_head;
  Word* const block = block_of(number);
  const std::uint64_t header = block->load(std::memory_order_relaxed);
  thread->free_head = static_cast<std::uint32_t>(header);
  --thread->free_count;
  const unsigned words = words_of_block.load(std::memory_order_relaxed);
  for (unsigned i = 1; i < words; ++i) block[i].store(0, std::memory_order_relaxed);
  const std::uint64_t uses = (header >> 32) + 1;
  block->store(uses << 32, std::memory_order_release);
  return (uses << 32) | number;
}

ompt_data_t* words_of(std::uint64_t name) noexcept {
  Word* const block = block_of(static_cast<std::uint32_t>(name));
  if (block == nullptr || block->load(std::memory_order_acquire) >> 32 != name >> 32) return nullptr;
  static_assert(sizeof(Word) == sizeof(ompt_data_t));
  return reinterpret_cast<ompt_data_t*>(block + 1);
}

void end_words(std::uint64_t name) noexcept {
  const auto number = static_cast<std::uint32_t>(name);
  Word* const block = block_of(number);
  ThreadWords* const thread = thread_words();
  if (block == nullptr || thread == nullptr) return;
  // Who ends it twice, from two threads, ends it once. The count goes on when it is used again as well: a name is of
  // an odd one.
  std::uint64_t header = name >> 32 << 32;
  if (!block->compare_exchange_strong(header, ((name >> 32) + 1) << 32 | thread->free_head, std::memory_order_acq_rel))
    return;
  thread->free_head = number;
  ++thread->free_count;
  if (thread->free_count > 2 * blocks_of_chunk) give_spare(*thread, blocks_of_chunk);
}

}  // namespace tracer::ompt::several
