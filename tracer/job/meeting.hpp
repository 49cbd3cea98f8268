// SPDX-License-Identifier: BSD-3-Clause
// How the processes of a launch learn, before one writes to another, that all of them listen: over
// files of a directory that they share.
//
//   DIRECTORY/.NAME                   rank 0 calls: CALL, which nobody else has ever called
//   DIRECTORY/.NAME.CALL.RANK.WORD    an answer to that call: the process' value
//   DIRECTORY/.NAME.CALL              what was agreed: the words of all, or that it is not all of them
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tracer {

/// The words of all processes by rank, the same for each of them; or empty for each of them: not all came within half
/// of `patience`, or the directory cannot be written. Called once per process and meeting; waits, at most `patience`.
/// `name`: a file name without dots. Throws only for want of memory.
std::vector<std::uint64_t> meet(const std::filesystem::path& directory, const std::string& name, std::uint32_t rank,
                                std::uint32_t size, std::uint64_t word, std::chrono::milliseconds patience);

/// Between a process' looks at the directory, doubling from the first to the longest. All of them look at one
/// directory: the more there are, the seldomer each.
struct Pauses {
  std::chrono::microseconds first, longest;
};
Pauses pauses_of(std::uint32_t size) noexcept;

/// When all are known to have it: the next program of the launch may meet here too.
void end_meeting(const std::filesystem::path& directory, const std::string& name) noexcept;

}  // namespace tracer
