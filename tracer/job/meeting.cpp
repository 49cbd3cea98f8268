// SPDX-License-Identifier: BSD-3-Clause
// See meeting.hpp. That all agree is the work of one link(2):
//   1. Rank 0 calls, and sees the answers of all: it publishes their words. Or it has waited long enough, and publishes
//      that it is not all of them.
//   2. Each other answers each call that it finds, and waits for what is published to the last one. Who has waited too
//      long publishes himself that it is not all.
//   3. Publishing is a link to one name: one of them wins, and all read what it wrote.
// A call is new each time, and so is each answer: what a program of the launch that was killed has left is no answer to
// the next one's call, and what was agreed then does not have the next one's answers.
#include "tracer/job/meeting.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/files/write_signals.hpp"
#include "tracer/base/text.hpp"

namespace tracer {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view not_all = "-\n", last_line = "all\n";
constexpr std::size_t line = 32;  ///< a word that no other process writes

class Table {
 public:
  Table(const fs::path& directory, const std::string& name, std::uint32_t rank, std::uint32_t size, std::uint64_t word)
      : name_("." + name),
        message_(hexadecimal(word) + random_name()),
        seat_("." + std::to_string(rank) + "." + message_),
        rank_(rank),
        size_(size),
        fd_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {}
  explicit operator bool() const noexcept { return static_cast<bool>(fd_); }

  bool call() {
    call_ = random_name();
    const std::string draft = name_ + "." + call_ + ".call";
    return write(draft, call_) && ::renameat(fd_.get(), draft.c_str(), fd_.get(), name_.c_str()) == 0 && answer();
  }
  /// The last call that there is, once.
  void answer_call() {
    refresh();
    const std::string found = read(name_, 16);
    if (found.size() != 16 || found == call_) return;
    stand_up();
    call_ = found;
    answer();
  }
  void stand_up() noexcept {
    if (!own_.empty()) ::unlinkat(fd_.get(), own_.c_str(), 0);
  }

  /// The text of all that answered; empty: not everybody has.
  std::string all_there() const {
    refresh();
    std::vector<std::string> words(size_);
    std::uint32_t answers = 0;
    DIR* listing = ::fdopendir(::openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (listing == nullptr) return {};
    while (const dirent* entry = ::readdir(listing)) {
      const auto parts = split(std::string_view{entry->d_name}, '.');  // "", name, call, rank, word
      if (parts.size() != 5 || "." + parts[1] != name_ || parts[2] != call_ || parts[4].size() != line) continue;
      const auto rank = parse_number(parts[3]);
      if (!rank || *rank >= size_) continue;
      if (words[*rank].empty()) ++answers;
      words[*rank] = parts[4];
    }
    ::closedir(listing);
    if (answers != size_) return {};
    std::string text;
    for (const std::string& word : words) text += word + "\n";
    return text + std::string{last_line};
  }
  void publish(std::string_view text) {
    if (call_.empty()) return;  // nobody can have counted on this process
    const std::string draft = own_ + ".draft", name = name_ + "." + call_;
    if (!write(draft, text)) return;
    if (::linkat(fd_.get(), draft.c_str(), fd_.get(), name.c_str(), 0) != 0 && errno != EEXIST)
      write(name, text);  // no hard links here
    ::unlinkat(fd_.get(), draft.c_str(), 0);
  }
  /// nullopt: not yet.
  std::optional<std::vector<std::uint64_t>> agreed() const {
    if (call_.empty()) return std::nullopt;
    const std::string text = read(name_ + "." + call_, (line + 1) * size_ + last_line.size() + 1);
    if (text == not_all) return std::vector<std::uint64_t>{};
    if (text.size() != (line + 1) * size_ + last_line.size()) return std::nullopt;   // not there, or being written
    if (text.compare((line + 1) * rank_, line, message_) != 0) return std::nullopt;  // another program's
    std::vector<std::uint64_t> words;
    for (std::size_t i = 0; i < size_; ++i)
      words.push_back(std::strtoull(text.substr(i * (line + 1), 16).c_str(), nullptr, 16));
    return words;
  }
  void clear() noexcept {
    const std::string call = read(name_, 16);
    ::unlinkat(fd_.get(), (name_ + "." + call).c_str(), 0);
    ::unlinkat(fd_.get(), name_.c_str(), 0);
  }

 private:
  bool answer() {
    own_ = name_ + "." + call_ + seat_;
    return write(own_, "");
  }
  /// File systems of several hosts look again at a directory that they changed themselves.
  void refresh() const {
    const std::string touched = name_ + ".look" + seat_;
    if (::mkdirat(fd_.get(), touched.c_str(), 0700) == 0) ::unlinkat(fd_.get(), touched.c_str(), AT_REMOVEDIR);
  }
  bool write(const std::string& name, std::string_view text) const {
    const WithoutWriteSignals guard;
    const UniqueFd file = make_private_file(name.c_str(), fd_.get());
    return file && write_whole(file.get(), text);
  }
  /// "" when it is not there.
  std::string read(const std::string& name, std::size_t most) const {
    const RegularFile file = open_regular(name.c_str(), Links::refuse, O_RDONLY, fd_.get());
    std::string text(most, '\0');
    const ssize_t n = file ? ::pread(file.fd.get(), text.data(), text.size(), 0) : 0;
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
  }

  std::string name_, message_, seat_, call_, own_;
  std::uint32_t rank_, size_;
  UniqueFd fd_;
};

/// Tries until there is a result or the time is over; seldomer and seldomer.
template <class Try>
bool patiently(Clock::time_point until, const Pauses& pauses, const Try& attempt) {
  for (std::chrono::microseconds pause = pauses.first;; pause = std::min(pause * 2, pauses.longest)) {
    if (attempt()) return true;
    const Clock::duration left = until - Clock::now();
    if (left <= Clock::duration::zero()) return false;
    std::this_thread::sleep_for(std::min<Clock::duration>(pause, left));
  }
}

}  // namespace

Pauses pauses_of(std::uint32_t size) noexcept {
  using std::chrono::microseconds;
  return {std::max(microseconds{100}, microseconds{20} * size),
          std::max(microseconds{20'000}, microseconds{100} * size)};
}

std::vector<std::uint64_t> meet(const fs::path& directory, const std::string& name, std::uint32_t rank,
                                std::uint32_t size, std::uint64_t word, std::chrono::milliseconds patience) {
  const auto begin = Clock::now();
  Table table(directory, name, rank, size, word);
  if (!table || rank >= size) return {};
  std::optional<std::vector<std::uint64_t>> agreed;
  if (rank == 0) {
    if (!table.call()) return {};
    std::string all;
    patiently(begin + patience / 2, pauses_of(1), [&] { return !(all = table.all_there()).empty(); });
    table.publish(all.empty() ? not_all : std::string_view{all});
    agreed = table.agreed();
  } else if (!patiently(begin + patience, pauses_of(size), [&] {
               table.answer_call();
               return (agreed = table.agreed()).has_value();
             })) {
    table.publish(not_all);
    agreed = table.agreed();
  }
  table.stand_up();
  return agreed.value_or(std::vector<std::uint64_t>{});
}

void end_meeting(const fs::path& directory, const std::string& name) noexcept try {
  Table table(directory, name, 0, 0, 0);
  if (table) table.clear();
} catch (...) {  // no memory: the files stay until the job is over
}

}  // namespace tracer
