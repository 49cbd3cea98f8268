// SPDX-License-Identifier: BSD-3-Clause
// See pending_output.hpp.
#include "tracer/base/files/pending_output.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tracer/base/files/regular_file.hpp"
#include "tracer/error.hpp"

namespace tracer {
namespace {

namespace fs = std::filesystem;

constexpr const char *part = ".part-", *mark = ".tracer-writes";

constexpr int interrupts[] = {SIGINT, SIGTERM, SIGHUP};

// What a signal removes; the handler may run at any instant, so this is plain memory that is filled before it is
// announced.
constexpr int most_pending = 2;
char pending_names[most_pending][4096];
volatile sig_atomic_t is_pending[most_pending] = {};

/// A directory as deep as `depth`, or a file; with system calls alone.
void remove_tree(int at, const char* name, int depth) noexcept {
  if (::unlinkat(at, name, 0) == 0 || errno == ENOENT || depth == 0) return;
  const int directory = ::openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) return;
  alignas(dirent64) char entries[2048];
  for (;;) {
    const long size = ::syscall(SYS_getdents64, directory, entries, sizeof entries);
    if (size <= 0) break;
    for (long offset = 0; offset < size;) {
      std::uint16_t length = 0;
      std::memcpy(&length, entries + offset + offsetof(dirent64, d_reclen), sizeof length);
      const char* const one = entries + offset + offsetof(dirent64, d_name);
      if (std::strcmp(one, ".") != 0 && std::strcmp(one, "..") != 0) remove_tree(directory, one, depth - 1);
      offset += length;
    }
  }
  ::close(directory);
  ::unlinkat(at, name, AT_REMOVEDIR);
}

void remove_and_end(int signal) {
  constexpr int deepest = 5;  // the directory around it, tables of processes, an archive's locations
  for (int i = 0; i < most_pending; ++i)
    if (is_pending[i]) remove_tree(AT_FDCWD, pending_names[i], deepest);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

/// Its number for forget(); -1: it is not announced.
int announce(const fs::path& path) {
  const std::string text = fs::absolute(path).string();
  int slot = 0;
  while (slot < most_pending && is_pending[slot]) ++slot;
  if (slot == most_pending || text.size() >= sizeof pending_names[0]) return -1;
  std::memcpy(pending_names[slot], text.c_str(), text.size() + 1);
  is_pending[slot] = 1;
  for (const int signal : interrupts) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;  // nohup
    ::signal(signal, remove_and_end);
  }
  return slot;
}

void forget(int announced) {
  if (announced < 0) return;
  is_pending[announced] = 0;
  for (const auto& other : is_pending)
    if (other) return;
  for (const int signal : interrupts) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == remove_and_end) ::signal(signal, SIG_DFL);
  }
}

/// "NAME.part-123"
bool is_name_of_pending(const std::string& name) {
  const auto at = name.rfind(part);
  return at != name.npos && at != 0 && at + std::strlen(part) < name.size() &&
         name.find_first_not_of("0123456789", at + std::strlen(part)) == name.npos;
}

/// It was made by a command of this user's, and that lives no more.
bool is_left(const fs::path& directory) {
  struct stat info {};
  if (::lstat(directory.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid()) return false;
  const RegularFile lock = open_regular((directory / mark).c_str(), Links::refuse, O_RDWR);  // NFS wants it to write
  return lock && lock.owner == ::geteuid() && ::flock(lock.fd.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_leftovers(const fs::path& where) {
  std::error_code error;
  std::vector<fs::path> left;
  for (fs::directory_iterator it{where, error}, end; !error && it != end; it.increment(error))
    if (is_name_of_pending(it->path().filename().string()) && is_left(it->path())) left.push_back(it->path());
  for (const fs::path& one : left) fs::remove_all(one, error);
}

/// Where a link leads to. Throws where a device or the like would be replaced, or a file of a trace by something else.
fs::path to_be_replaced(fs::path wanted) {
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(wanted, error)) && fs::exists(wanted, error)) wanted = fs::canonical(wanted);
  const auto status = fs::status(wanted, error);
  if (!fs::exists(status) || fs::is_directory(status)) return wanted;
  if (!fs::is_regular_file(status))
    throw Error{"cannot write " + wanted.string() + ": it is no regular file; name another one by --output."};
  const std::string suffix = wanted.extension().string();
  if (suffix == ".otf2" || suffix == ".def" || suffix == ".evt")
    throw Error{wanted.string() + " exists already and is a file of a trace; name another one by --output."};
  return wanted;
}

}  // namespace

PendingOutput::PendingOutput(fs::path wanted, Named named)
    : wanted_{named == Named::by_user ? to_be_replaced(std::move(wanted)) : std::move(wanted)}, place_{wanted_} {
  while (!place_.has_filename() && place_.has_parent_path()) place_ = place_.parent_path();
  pending_ = place_.filename();
  remove_leftovers(place_.has_parent_path() ? place_.parent_path() : fs::path{"."});
  const std::string beside = place_.string() + part + std::to_string(::getpid());
  bool is_made = false;
  for (int tries = 0; !is_made && tries < 1000; ++tries) {  // a process of another host may have the same number
    place_ = tries == 0 ? beside : beside + std::to_string(tries);
    is_made = ::mkdir(place_.c_str(), 0700) == 0;
    if (!is_made && errno != EEXIST) break;
  }
  if (!is_made && errno == EEXIST) throw Error{"cannot write " + wanted_.string() + ": remove " + beside + "*"};
  if (is_made) {
    lock_ = make_private_file((place_ / mark).c_str());
    if (lock_) ::flock(lock_.get(), LOCK_EX | LOCK_NB);
    pending_ = place_ / pending_;
  } else {
    pending_ = place_;  // the writer reports what is wrong
  }
  announced_ = announce(place_);
}

PendingOutput::~PendingOutput() {
  forget(announced_);
  std::error_code error;
  if (!kept_ || pending_ != place_) fs::remove_all(place_, error);
}

void PendingOutput::keep() {
  std::error_code error;
  if (fs::is_directory(fs::symlink_status(pending_, error)) && fs::is_directory(wanted_, error)) {
    // A directory that is there already: it may hold other things. Each file takes its place.
    for (const auto& entry : fs::directory_iterator(pending_))
      fs::rename(entry.path(), wanted_ / entry.path().filename());
    kept_ = false;
    return;
  }
  fs::rename(pending_, wanted_, error);
  if (error) throw Error{"cannot write " + wanted_.string() + ": " + error.message()};
  kept_ = true;
}

void require_new_directory(const fs::path& wanted) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(wanted, error))) return;
  if (!fs::is_directory(wanted, error))
    throw Error{wanted.string() + " exists already and is no directory; name another one by --output."};
  if (!fs::is_empty(wanted, error))
    throw Error{wanted.string() + " exists already and is not empty; remove it or name another directory by --output."};
}

}  // namespace tracer
