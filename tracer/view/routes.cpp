// SPDX-License-Identifier: BSD-3-Clause
// See routes.hpp.
#include "tracer/view/routes.hpp"
#include "tracer/view/json_text.hpp"

#include <cstddef>

#include <exception>

namespace tracer::view {
namespace {

Reply failure(int status, const std::string& text) {
  return {status, "application/json", text_of_json({{"error", text}}), {}, {}};
}

}  // namespace

bool Guard::is_here(std::string_view host) const {
  return host == "127.0.0.1:" + port_ || host == "localhost:" + port_;
}

/// In a time that does not depend on how much of it is right.
bool Guard::is_token(std::string_view text) const {
  if (text.size() != token_.size()) return false;
  unsigned differs = 0;
  for (std::size_t i = 0; i < text.size(); ++i) differs |= static_cast<unsigned>(text[i] ^ token_[i]);
  return differs == 0;
}

bool Guard::has_cookie(std::string_view cookies) const {
  const std::string name = cookie_name() + "=";
  while (!cookies.empty()) {
    std::string_view one = cookies.substr(0, cookies.find(';'));
    cookies.remove_prefix(one.size());
    if (!cookies.empty()) cookies.remove_prefix(1);
    while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
    if (one.starts_with(name) && is_token(one.substr(name.size()))) return true;
  }
  return false;
}

bool Guard::has_token(const Request& request) const {
  const auto given = request.words.find("token");
  return given != request.words.end() && is_token(given->second);
}

int Guard::refusal(const Request& request) const {
  if (!is_here(request.host)) return 403;
  constexpr std::string_view scheme = "http://";
  const std::string_view origin = request.origin;
  if (!origin.empty() && !(origin.starts_with(scheme) && is_here(origin.substr(scheme.size())))) return 403;
  if (!has_token(request) && !has_cookie(request.cookie)) return 401;
  return request.method == "GET" || request.method == "HEAD" ? 0 : 405;
}

std::string Guard::route(std::string_view path) const {
  constexpr std::string_view api = "/api/";
  if (path.starts_with(place_)) path.remove_prefix(place_.size() - 1);
  return path.starts_with(api) ? std::string{path.substr(api.size())} : std::string{};
}

Reply answer(const Request& request, const Guard& guard, const Site& site) {
  try {
    switch (guard.refusal(request)) {
      case 0:
        break;
      case 401:
        return failure(401,
                       "open the address that tracer view printed: it has this session's token. Of a bookmark, append "
                       "to it the part "
                       "from # on");
      case 405:
        return failure(405, "there is nothing here but to read");
      default:
        return failure(403, "this address answers to 127.0.0.1 and localhost only");
    }
    // The address in the browser, its history and its bookmarks is without the token.
    if (request.path == "/") return {303, "text/plain", "", guard.set_cookie(), guard.place()};
    if (request.path == guard.place()) return {200, "text/html; charset=utf-8", site.page(), {}, {}};
    if (const std::string route = guard.route(request.path); !route.empty()) {
      std::string body = site.api(route, Words{request.words});
      if (!body.empty()) return {200, "application/json", std::move(body), {}, {}};
    }
    return failure(404, "there is no such page");
  } catch (const BadRequest& error) {
    return failure(400, error.what());
  } catch (const std::exception& error) {
    return failure(500, error.what());
  }
}

}  // namespace tracer::view
