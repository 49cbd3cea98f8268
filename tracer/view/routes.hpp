// SPDX-License-Identifier: BSD-3-Clause
// Who gets an answer: this user's browser, on the page that this server made, and nobody else.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "tracer/view/request.hpp"

namespace tracer::view {

/// The token of the printed address, which the browser then has as a cookie. Neither other users of the machine nor
/// other pages in the browser have it. A browser sends a cookie to every port of its host, also to servers of other
/// users: the cookie is of a path that has a word, `place`, which only this session's browser knows.
class Guard {
 public:
  Guard(std::string token, const std::string& place, int port)
      : token_{std::move(token)}, place_{"/" + place + "/"}, port_{std::to_string(port)} {}
  /// The address to open.
  std::string address() const { return "http://127.0.0.1:" + port_ + "/?token=" + token_; }
  /// The path of the page: "/WORD/".
  const std::string& place() const { return place_; }
  /// The NAME of "/WORD/api/NAME", as the page asks, or of "/api/NAME", as scripts do; "": the path is of neither form.
  std::string route(std::string_view path) const;
  std::string cookie_name() const { return "tracer_" + port_; }
  /// 0: may have an answer; else the status of the refusal. A page of another name, which leads here by its own DNS,
  /// has another Host; a page elsewhere has another Origin.
  int refusal(const Request& request) const;
  /// Whether the request has the token in its address.
  bool has_token(const Request& request) const;
  /// Lax: it must come with the way from the address to the page, wherever the address was clicked.
  std::string set_cookie() const { return cookie_name() + "=" + token_ + "; HttpOnly; SameSite=Lax; Path=" + place_; }

 private:
  bool is_here(std::string_view host) const;
  bool is_token(std::string_view text) const;
  bool has_cookie(std::string_view cookies) const;
  std::string token_, place_, port_;
};

/// The page, and "api/NAME" beside it or at the root.
struct Site {
  std::function<std::string()> page;
  std::function<std::string(const std::string& name, const Words& words)> api;  ///< "": there is no such name
};

/// Never throws but for lack of memory: what goes wrong is an answer.
Reply answer(const Request& request, const Guard& guard, const Site& site);

}  // namespace tracer::view
