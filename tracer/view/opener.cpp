// SPDX-License-Identifier: BSD-3-Clause
// See opener.hpp.
#include "tracer/view/opener.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "tracer/base/files/own_directory.hpp"
#include "tracer/error.hpp"

namespace tracer::view {
namespace {

namespace fs = std::filesystem;

constexpr const char *opener_stem = "tracer-view-", *opener_file = "open.html";

/// Of this user, and of a viewer that lives no more. A new one is empty until it is locked: it stays.
void remove_left_opener(const fs::path& place) noexcept {
  const UniqueFd directory = open_private_directory(place);
  if (!directory || ::flock(directory.get(), LOCK_EX | LOCK_NB) != 0) return;
  if (::unlinkat(directory.get(), opener_file, 0) == 0 && leads_to(place, directory.get())) ::rmdir(place.c_str());
}

void remove_left_openers(const fs::path& among) {
  std::error_code error;
  for (fs::directory_iterator entry{among, error}, end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with(opener_stem)) remove_left_opener(entry->path());
}

}  // namespace

Opener::Opener(const fs::path& among, std::string_view page) {
  remove_left_openers(among);
  std::string place = (among / opener_stem).string() + "XXXXXX";
  if (::mkdtemp(place.data()) == nullptr) throw Error{"cannot make " + place};
  place_ = place;
  lock_ = open_private_directory(place_);
  if (lock_) ::flock(lock_.get(), LOCK_EX);
  std::ofstream{file()} << page;
}

Opener::~Opener() {
  std::error_code error;
  fs::remove_all(place_, error);
}

fs::path Opener::file() const {
  return place_ / opener_file;
}

}  // namespace tracer::view
