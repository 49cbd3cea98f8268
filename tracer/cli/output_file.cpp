// SPDX-License-Identifier: BSD-3-Clause
// See output_file.hpp.
#include "tracer/cli/output_file.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>

#include "tracer/error.hpp"

namespace tracer::cli {
namespace {

namespace fs = std::filesystem;

constexpr int interrupts[] = {SIGINT, SIGTERM, SIGHUP};

// What a signal removes; the handler may run at any instant, so this is plain memory that is filled before it is
// announced.
char pending_name[4096];
volatile sig_atomic_t is_pending = 0;

void remove_and_end(int signal) {
  if (is_pending) ::unlink(pending_name);  // a directory stays, under the name that says that it is not whole
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void announce(const fs::path& path) {
  const std::string text = fs::absolute(path).string();
  if (text.size() >= sizeof pending_name) return;
  std::memcpy(pending_name, text.c_str(), text.size() + 1);
  is_pending = 1;
  for (const int signal : interrupts) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;  // nohup
    ::signal(signal, remove_and_end);
  }
}

void forget() {
  is_pending = 0;
  for (const int signal : interrupts) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == remove_and_end) ::signal(signal, SIG_DFL);
  }
}

}  // namespace

PendingOutput::PendingOutput(fs::path wanted) : wanted_{std::move(wanted)}, pending_{wanted_} {
  while (!pending_.has_filename() && pending_.has_parent_path()) pending_ = pending_.parent_path();
  pending_ += ".part-" + std::to_string(::getpid());
  announce(pending_);
}

PendingOutput::~PendingOutput() {
  forget();
  std::error_code error;
  if (!kept_) fs::remove_all(pending_, error);
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

void write_output(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (path.empty() || path == "-") {
    write(std::cout);
    if (!std::cout.flush()) throw Error{std::string{"cannot write to standard output: "} + std::strerror(errno)};
    return;
  }
  const auto into = [&](const fs::path& file) {
    std::ofstream out{file, std::ios::binary};
    if (!out) throw Error{"cannot write " + path + ": " + std::strerror(errno)};
    write(out);
    if (!out.flush()) throw Error{"cannot write " + path + ": " + std::strerror(errno)};
  };
  std::error_code error;
  const auto status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return into(path);
  PendingOutput pending{fs::is_symlink(fs::symlink_status(path, error)) ? fs::canonical(path) : fs::path{path}};
  into(pending.path());
  pending.keep();
}

}  // namespace tracer::cli
