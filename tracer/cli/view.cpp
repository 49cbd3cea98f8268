// SPDX-License-Identifier: BSD-3-Clause
// `tracer view`: traces in the browser, down to single events.
#include <dlfcn.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "formats/otf2/common/file.hpp"
#include "formats/otf2/read/event_source.hpp"
#include "formats/samples/samples.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/archives/archive.hpp"
#include "tracer/cli/archives/indexing.hpp"
#include "tracer/cli/launch/program.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/index/cache_place.hpp"
#include "tracer/index/store.hpp"
#include "tracer/index/trace_index.hpp"
#include "tracer/replay/samples/without_symbols.hpp"
#include "tracer/view/api.hpp"
#include "tracer/view/links_build.hpp"
#include "tracer/view/notes.hpp"
#include "tracer/view/opener.hpp"
#include "tracer/view/page.hpp"
#include "tracer/view/report_maker.hpp"
#include "tracer/view/routes.hpp"
#include "tracer/view/sampled.hpp"
#include "tracer/view/text.hpp"
#include "tracer/view/transport.h"

namespace tracer::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string archive, other;
  unsigned port = 0;
  bool open = false;
};

using Serve = int (*)(const tracer_view_server*);

/// Beside the tool's library. Throws tracer::Error.
Serve load_server() {
  std::error_code error;
  const fs::path path = need_tracer_library().parent_path() / "libtracer-view.so";
  if (!fs::exists(path, error))
    throw Error{missing_library(path) +
                "; without cpp-httplib (on Debian: libcpp-httplib-dev pkg-config) it is not built"};
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    throw Error{"the viewer's library cannot be loaded: " + std::string{why == nullptr ? "" : why}};
  }
  void* const found = dlsym(handle, "tracer_view_serve");
  if (found == nullptr) throw Error{path.string() + " is no library of the viewer"};
  return reinterpret_cast<Serve>(found);
}

/// The traces with their indexes, and the queries to them.
class Viewer {
 public:
  explicit Viewer(const Options& options) : options_{options} {
    open(find_archive(options.archive));
    if (!options.other.empty()) open(find_archive(options.other));
    links_ = std::make_unique<view::LinksMaker>(std::move(wanted_links_));
    reports_ = std::make_unique<view::ReportMaker>(reports_wanted());
    for (Desk& desk : desks_) desk.api = std::make_unique<view::Api>(desk.traces, links_.get(), reports_.get());
  }
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;
  /// The exit status.
  int run(Serve serve) {
    constexpr int usual_port = 8750, tries = 50, last_port = 65535;
    const int first = options_.port != 0 ? static_cast<int>(options_.port) : usual_port;
    const tracer_view_server server{TRACER_VIEW_VERSION,
                                    view::page_policy.data(),
                                    first,
                                    options_.port != 0 ? first : std::min(last_port, first + tries),
                                    [](void* self, int port) { return static_cast<Viewer*>(self)->begin(port); },
                                    [](void* self, const tracer_view_request* request, tracer_view_send send,
                                       void* to) { static_cast<Viewer*>(self)->answer(*request, send, to); },
                                    this};
    switch (serve(&server)) {
      case 0:
        if (failure_) std::rethrow_exception(failure_);
        return ok;
      case 1:
        throw Error{options_.port != 0
                        ? "port " + std::to_string(first) + " is in use; name another one with --port, or none"
                        : "no port from " + std::to_string(first) + " on is free; name one with --port"};
      default:
        throw Error{"libtracer-view.so is of another version than this command"};
    }
  }

 private:
  void open(const fs::path& anchor) {
    auto source = otf2::open_archive(anchor);
    anchors_.push_back(anchor);
    const index::Stored stored = index_of(*source);
    const std::vector<std::string> notes = view::notes_of(source->definitions(), *stored.contents);
    const std::uint64_t stamp = stored.contents->header().stamp;
    wanted_links_.push_back(
        {anchor, places_of_links(*source, stored.path), stamp, source->definitions().locations.size(), ""});
    samples_.emplace_back();
    if (const std::optional<fs::path> file = file_of_samples(anchor)) {
      samples::SampleFile samples{*file};
      if (samples.size() != 0)
        samples_.back() = std::make_unique<view::Sampled>(std::move(samples), source->definitions());
    }
    for (Desk& desk : desks_) {
      auto own = &desk == desks_.data() ? std::move(source) : otf2::open_archive(anchor);
      add(desk, anchor, std::make_unique<index::TraceIndex>(std::move(own), stored.contents));
      desk.traces.back().notes = notes;
      index::require_unchanged(desk.indexes.back()->source(), stamp);
    }
    wanted_links_.back().title = desks_[0].traces.back().title;
    for (const std::string& note : notes)
      print_note((options_.other.empty() ? std::string{} : wanted_links_.back().title + ": ") + note);
  }

  /// Beside the index; in the cache, where others have that.
  static std::vector<fs::path> places_of_links(const otf2::PositionedSource& source, fs::path index) {
    if (index.empty()) return {};
    std::vector<fs::path> places{index.replace_extension(".links")};
    if (access(places.front().parent_path().c_str(), W_OK) != 0)
      places.push_back(index::place_in_cache(source, ".links"));
    if (places.back().empty()) places.pop_back();
    return places;
  }

  /// Traces and who answers questions about them, one at a time.
  struct Desk {
    std::vector<std::unique_ptr<index::TraceIndex>> indexes;
    std::vector<view::ViewedTrace> traces;
    std::unique_ptr<view::Api> api;
    std::mutex mutex;
  };

  void add(Desk& desk, const fs::path& anchor, std::unique_ptr<index::TraceIndex> index) {
    view::ViewedTrace trace;
    trace.title = shown(fs::absolute(anchor).parent_path().filename().string());
    trace.path = shown(with_names_of_descriptors(anchor.string()));
    if (!desk.traces.empty()) {
      const view::ViewedTrace& last = desk.traces.back();
      const Definitions& before = last.index->definitions();
      trace.first_lane = last.first_lane + static_cast<std::uint32_t>(before.locations.size());
      trace.first_name = last.first_name + view::names_of(before);
      if (trace.title == last.title) trace.title += " (2)";
    }
    trace.number = desk.traces.size();
    trace.samples = samples_.back().get();
    desk.indexes.push_back(std::move(index));
    trace.index = desk.indexes.back().get();
    desk.traces.push_back(std::move(trace));
  }

  std::vector<view::ReportMaker::Wanted> reports_wanted() const {
    std::vector<view::ReportMaker::Wanted> wanted;
    for (const view::ViewedTrace& trace : desks_[0].traces)
      wanted.push_back({anchors_[trace.number], trace.title, trace.index->header().stamp, trace.first_lane,
                        trace.first_name, [anchor = anchors_[trace.number], has_samples = trace.samples != nullptr] {
                          auto samples = has_samples ? read_samples(anchor) : std::nullopt;
                          if (samples) report::join_nameless(*samples);
                          return samples;
                        }});
    return wanted;
  }

  /// As the transport has it: 0 where the address could not be printed.
  int begin(int port) noexcept {
    try {
      print_address(port);
      return 1;
    } catch (...) {
      failure_ = std::current_exception();
      return 0;
    }
  }

  void print_address(int port) {
    guard_ = std::make_unique<view::Guard>(random_name() + random_name(), random_name(), port);
    print_text("Open this address in a browser; Ctrl-C ends the viewer:\n  " + guard_->address() + "\n");
    if (const char* const ssh = std::getenv("SSH_CONNECTION"); ssh != nullptr && *ssh != 0) {
      char host[256] = "";
      if (gethostname(host, sizeof host - 1) != 0) host[0] = 0;
      const std::string number = std::to_string(port);
      print_text("From the computer that you sit at, first:\n  ssh -L " + number + ":127.0.0.1:" + number + " " +
                 (host[0] == 0 ? "HOST" : host) + "\n");
    }
    if (options_.open) open_browser(guard_->address());
  }

  /// Words of a command are seen by all users of the machine: the address goes there in a file of this user's.
  void open_browser(const std::string& address) {
    std::error_code error;
    const fs::path place = fs::temp_directory_path(error);
    if (error) return print_note("there is no directory for temporary files (TMPDIR); open the address by hand");
    try {
      opener_.emplace(place, "<!DOCTYPE html><title>tracer view</title><meta http-equiv=\"refresh\" content=\"0;url=" +
                                 address + "\">\n");
    } catch (const Error& failure) {
      return print_note(std::string{failure.what()} + "; open the address by hand");
    }
    if (!start({"xdg-open", opener_->file().string()}))
      print_note("there is no xdg-open here; open the address by hand");
  }

  /// With the signals as they were: the server waits for some, and ignores one.
  static bool start(std::vector<std::string> command) {
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    sigset_t none, ignored;
    sigemptyset(&none);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &ignored);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const bool is_started = posix_spawnp(&child, words[0], nullptr, &how, words.data(), environ) == 0;
    posix_spawnattr_destroy(&how);
    return is_started;
  }

  void answer(const tracer_view_request& asked, tracer_view_send send, void* to) {
    view::Request request{asked.method, asked.path, {}, asked.host, asked.origin, asked.cookie};
    for (std::size_t i = 0; i < asked.number_of_words; ++i)
      request.words.emplace(asked.words[i].name, asked.words[i].value);
    // Numbers of a whole run with thousands of threads take seconds: the picture does not wait for them.
    const std::string route = guard_->route(request.path);
    const bool is_long = route == "statistics" || route == "search" || route == "functions";
    Desk& desk = desks_[is_long ? 1 : 0];
    const view::Site site{
        [&] { return view::page_with(desk.api->meta()); },
        [&](const std::string& name, const view::Words& words) { return desk.api->answer(name, words); }};
    view::Reply reply;
    {
      const std::lock_guard lock{desk.mutex};
      reply = view::answer(request, *guard_, site);
    }
    const tracer_view_reply out{reply.status,      reply.type.c_str(),   reply.body.data(),
                                reply.body.size(), reply.cookie.c_str(), reply.location.c_str()};
    send(to, &out);
  }

  const Options& options_;
  std::optional<view::Opener> opener_;  ///< what the browser was given
  std::vector<fs::path> anchors_;       ///< of the traces
  std::vector<view::LinksMaker::Wanted> wanted_links_;
  std::vector<std::unique_ptr<view::Sampled>> samples_;  ///< of the traces; null: it has none
  std::unique_ptr<view::LinksMaker> links_;
  std::unique_ptr<view::ReportMaker> reports_;
  std::array<Desk, 2> desks_;
  std::unique_ptr<view::Guard> guard_;
  std::exception_ptr failure_;  ///< why the server is not to begin
};

int run(const Options& options) {
  otf2::keep_files_open(false);  // archives may be replaced while the page is open
  const Serve serve = load_server();
  Viewer viewer{options};
  return viewer.run(serve);
}

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  add_archive(app, options->archive);
  app.add_option("other", options->other, "Another one, to see both on one page");
  app.add_option("--port", options->port, "The port on 127.0.0.1 (default: the first free one from 8750 on)")
      ->check(in_range(1u, 65535u))
      ->type_name("PORT");
  app.add_flag("--open", options->open, "Open the browser");
  action = [options] { return run(*options); };
}

}  // namespace

const Command view_command{"view", "Show traces in the browser, from the whole run down to single events", add};

}  // namespace tracer::cli
