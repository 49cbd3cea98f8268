// SPDX-License-Identifier: BSD-3-Clause
// libtracer-view.so: cpp-httplib as the transport of `tracer view`. What is answered, and to whom, is decided there.
#include <httplib.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tracer/view/transport.h"

namespace {

void send(void* to, const tracer_view_reply* reply) {
  auto& out = *static_cast<httplib::Response*>(to);
  out.status = reply->status;
  if (reply->cookie[0] != 0) out.set_header("Set-Cookie", reply->cookie);
  if (reply->location[0] != 0) out.set_header("Location", reply->location);
  // A provider's contents are not compressed: they go no further than this machine.
  auto body = std::make_shared<std::string>(reply->body, reply->bytes);
  if (body->empty()) return out.set_content("", reply->type);
  out.set_content_provider(body->size(), reply->type,
                           [body](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                             return sink.write(body->data() + offset, length);
                           });
}

void answer(const tracer_view_server& server, const httplib::Request& request, httplib::Response& out) {
  std::vector<tracer_view_pair> words;
  for (const auto& word : request.params)
    if (word.second.find('\0') == std::string::npos) words.push_back({word.first.c_str(), word.second.c_str()});
  const std::string host = request.get_header_value("Host"), origin = request.get_header_value("Origin"),
                    cookie = request.get_header_value("Cookie"),
                    path = request.path.find('\0') == std::string::npos ? request.path : std::string{};
  const tracer_view_request asked{request.method.c_str(), path.c_str(), host.c_str(), origin.c_str(),
                                  cookie.c_str(),         words.data(), words.size()};
  out.set_header("Content-Security-Policy", server.policy);
  out.set_header("X-Content-Type-Options", "nosniff");
  out.set_header("X-Frame-Options", "DENY");
  out.set_header("Referrer-Policy", "no-referrer");
  out.set_header("Cross-Origin-Resource-Policy", "same-origin");
  out.set_header("Cross-Origin-Opener-Policy", "same-origin");
  out.set_header("Cache-Control", "no-store");
  server.answer(server.context, &asked, send, &out);
}

std::unique_ptr<httplib::Server> set_up(const tracer_view_server& server) {
  auto http = std::make_unique<httplib::Server>();
  // Without SO_REUSEPORT, by which two servers would have the same port.
  http->set_socket_options([](auto socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  http->new_task_queue = [] { return new httplib::ThreadPool(16); };
  // A connection is for one request. One that waits for the next keeps a thread, delays the end of the viewer, and may
  // be answered by a viewer that ends while the next one already has its port.
  http->set_keep_alive_max_count(1);
  http->set_keep_alive_timeout(1);
  http->set_read_timeout(5, 0);
  http->set_write_timeout(30, 0);
  http->set_payload_max_length(1024);
  http->set_tcp_nodelay(true);
  http->set_pre_routing_handler([&](const httplib::Request& request, httplib::Response& out) {
    answer(server, request, out);
    return httplib::Server::HandlerResponse::Handled;
  });
  return http;
}

/// On the first of its ports that is free; null: none is. A server that failed to bind cannot be used any more in newer
/// versions of the library.
std::unique_ptr<httplib::Server> bind(const tracer_view_server& server, int& port) {
  for (port = server.first_port; port <= server.last_port; ++port) {
    std::unique_ptr<httplib::Server> http = set_up(server);
    if (http->bind_to_port("127.0.0.1", port)) return http;
  }
  return nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int tracer_view_serve(const tracer_view_server* server) {
  if (server->version != TRACER_VIEW_VERSION) return 2;
  // One thread waits for these signals; those of the server never get them.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int one : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, one);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  int port = 0;
  const std::unique_ptr<httplib::Server> http = bind(*server, port);
  if (http == nullptr) return 1;
  std::atomic<bool> has_ended{false};
  std::thread waits{[&] {
    int got = 0;
    sigwait(&signals, &got);
    // A server that does not listen yet takes no notice of stop().
    for (; !has_ended; std::this_thread::sleep_for(std::chrono::milliseconds{10})) http->stop();
  }};
  if (server->ready(server->context, port) != 0) http->listen_after_bind();
  has_ended = true;
  // Also where it did not listen: the thread that waits must end.
  ::kill(::getpid(), SIGTERM);
  waits.join();
  return 0;
}
