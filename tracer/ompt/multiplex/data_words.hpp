// SPDX-License-Identifier: BSD-3-Clause
// Data words of several tools behind the one that a runtime has for each of its threads, regions and tasks.
//
// The runtime's word holds a name: the number of a block, and how often the block was used before. A block has a word
// for each tool. Runtimes copy their words, and show some of them after their object's end: a name of what has ended
// differs from that of a block in use, and memory of blocks is never freed, so that no word is ever a dangling pointer.
#pragma once

#include <cstdint>

#include "omp-tools.h"

namespace tracer::ompt::several {

/// This one, and so many others at most.
inline constexpr unsigned most_tools = 4;

/// What a thread has of its own while there are several tools.
struct ThreadWords {
  std::uint32_t free_head = 0, free_count = 0;
  /// libomp wants its word of an implicit task back at the join, and has none for `taskwait depend`
  /// (tracer/ompt/sync.cpp and task.cpp): their names are here.
  std::uint64_t joined = 0, waiting = 0;
  /// The ids of the device operation that is under way; the tool of index 0 has the runtime's word.
  ompt_id_t operations[most_tools] = {};
  /// For objects that have no name.
  ompt_data_t nobodys[most_tools] = {};
};

/// That of the calling thread; made when there is none, nullptr where there is no memory.
ThreadWords* thread_words() noexcept;
/// At the thread's end.
void forget_thread_words() noexcept;

/// How many words a block has; before the first is made.
void set_number_of_tools(unsigned tools) noexcept;

/// A new block with empty words. 0: there is no memory.
std::uint64_t make_words() noexcept;
/// The words of a name; nullptr for 0, for what has ended, and for what is no name.
ompt_data_t* words_of(std::uint64_t name) noexcept;
/// The object has ended.
void end_words(std::uint64_t name) noexcept;

}  // namespace tracer::ompt::several
