// SPDX-License-Identifier: BSD-3-Clause
// `tracer view`: traces in the browser, down to single events.
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>
#include <vector>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/base/file.hpp"
#include "tracer/base/own_directory.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/archive.hpp"
#include "tracer/cli/command.hpp"
#include "tracer/cli/launch/program.hpp"
#include "tracer/cli/terminal.hpp"
#include "tracer/index/trace_index.hpp"
#include "tracer/view/api.hpp"
#include "tracer/view/page.hpp"
#include "tracer/view/routes.hpp"
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
  const std::optional<fs::path> library = find_tracer_library();
  const fs::path path = library ? library->parent_path() / "libtracer-view.so" : fs::path{};
  if (path.empty() || !fs::exists(path, error))
    throw Error{"this tracer was built without its viewer: it needs cpp-httplib (on Debian: libcpp-httplib-dev)"};
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    throw Error{"the viewer's library cannot be loaded: " + std::string{why == nullptr ? "" : why}};
  }
  void* const found = dlsym(handle, "tracer_view_serve");
  if (found == nullptr) throw Error{path.string() + " is no library of the viewer"};
  return reinterpret_cast<Serve>(found);
}

/// The traces with their indexes, and the one who asks them.
class Viewer {
 public:
  explicit Viewer(const Options& options) : options_{options} {
    open(find_archive(options.archive));
    if (!options.other.empty()) open(find_archive(options.other));
    api_ = std::make_unique<view::Api>(traces_);
  }
  /// The exit status.
  int run(Serve serve) {
    constexpr int usual_port = 8750, tries = 50, last_port = 65535;
    const int first = options_.port != 0 ? static_cast<int>(options_.port) : usual_port;
    const tracer_view_server server{TRACER_VIEW_VERSION,
                                    view::page_policy.data(),
                                    first,
                                    options_.port != 0 ? first : std::min(last_port, first + tries),
                                    [](void* self, int port) { static_cast<Viewer*>(self)->ready(port); },
                                    [](void* self, const tracer_view_request* request, tracer_view_send send,
                                       void* to) { static_cast<Viewer*>(self)->answer(*request, send, to); },
                                    this};
    switch (serve(&server)) {
      case 0:
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
    index::Stored stored;
    {
      Progress progress{"indexing"};
      stored = index::open_or_build(*source, [&](double share) { progress.update(share); });
    }
    if (!stored.note.empty()) print_note(stored.note);
    if (stored.is_new && !stored.path.empty())
      print_note("wrote " + stored.path.string() + ", " + format_bytes(stored.contents->bytes()));
    const fs::path directory = fs::absolute(anchor).parent_path();
    view::ViewedTrace trace;
    trace.title = shown(directory.filename().string());
    trace.path = shown(with_names_of_descriptors(anchor.string()));
    if (!traces_.empty()) {
      const Definitions& before = traces_.back().index->definitions();
      trace.first_lane = traces_.back().first_lane + static_cast<std::uint32_t>(before.locations.size());
      trace.first_name = traces_.back().first_name + static_cast<std::uint32_t>(before.regions.size()) + 1;
      if (trace.title == traces_.front().title) trace.title += " (2)";
    }
    indexes_.push_back(std::make_unique<index::TraceIndex>(std::move(source), std::move(stored.contents)));
    trace.index = indexes_.back().get();
    traces_.push_back(std::move(trace));
  }

  void ready(int port) {
    const std::lock_guard lock{mutex_};
    guard_ = std::make_unique<view::Guard>(random_name() + random_name(), port);
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

  static void open_browser(const std::string& address) {
    std::string name = "xdg-open", word = address;
    char* const words[] = {name.data(), word.data(), nullptr};
    pid_t child = 0;
    if (posix_spawnp(&child, name.c_str(), nullptr, nullptr, words, environ) != 0)
      print_note("there is no xdg-open here; open the address by hand");
  }

  void answer(const tracer_view_request& asked, tracer_view_send send, void* to) {
    view::Request request{asked.method, asked.path, {}, asked.host, asked.origin, asked.cookie};
    for (std::size_t i = 0; i < asked.number_of_words; ++i)
      request.words.emplace(asked.words[i].name, asked.words[i].value);
    view::Reply reply;
    {
      const std::lock_guard lock{mutex_};
      const view::Site site{
          [this] { return view::page_with(api_->meta()); },
          [this](const std::string& name, const view::Words& words) { return api_->answer(name, words); }};
      reply = view::answer(request, *guard_, site);
    }
    const tracer_view_reply out{reply.status,      reply.type.c_str(),   reply.body.data(),
                                reply.body.size(), reply.cookie.c_str(), reply.location.c_str()};
    send(to, &out);
  }

  const Options& options_;
  std::vector<std::unique_ptr<index::TraceIndex>> indexes_;
  std::vector<view::ViewedTrace> traces_;
  std::unique_ptr<view::Api> api_;
  std::unique_ptr<view::Guard> guard_;
  std::mutex mutex_;
};

int run(const Options& options) {
  const Serve serve = load_server();
  Viewer viewer{options};
  return viewer.run(serve);
}

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  app.add_option("archive", options->archive,
                 "The trace: its directory or traces.otf2 (default: the newest ./tracer-*)");
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
