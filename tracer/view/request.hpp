// SPDX-License-Identifier: BSD-3-Clause
// A browser's request, in words, and the response.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tracer/error.hpp"

namespace tracer::view {

struct Request {
  std::string method, path;
  std::map<std::string, std::string> words;  ///< of the query
  std::string host, origin, cookie;          ///< headers; "" where there is none
};

struct Reply {
  int status = 200;
  std::string type, body;
  std::string cookie, location;  ///< headers; "": none
};

/// What was asked makes no sense: status 400 with the sentence.
class BadRequest : public Error {
 public:
  using Error::Error;
};

/// Numbers out of a query. Throw BadRequest where there is none that makes sense.
class Words {
 public:
  explicit Words(const std::map<std::string, std::string>& words) : words_{words} {}
  bool has(const char* name) const { return words_.count(name) != 0; }
  const std::string& text(const char* name) const;
  std::uint64_t number(const char* name, std::uint64_t least, std::uint64_t most) const;
  /// "0-3,7", or "~" and a digit of base64url for six numbers each, the lowest bit first. Each below `count`: in order,
  /// each once, at most `most` of them.
  std::vector<std::uint32_t> list(const char* name, std::uint64_t count, std::size_t most) const;

 private:
  const std::map<std::string, std::string>& words_;
};

}  // namespace tracer::view
