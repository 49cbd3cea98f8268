// SPDX-License-Identifier: BSD-3-Clause
// Names of code that was made at run time, out of the copy of its process' perf map (tracer/sample/code_map.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tracer {

/// What a line of a map names. Of other languages' names what the interpreter wrote.
struct CodeName {
  std::string function, file;
  std::uint32_t line = 0;
  bool is_python = false;
};

/// "py::KMeans.fit:/a/b.py" (Python), "JS:*solve /a/b.js:3:13" (node), or any other text.
CodeName parse_code_name(std::string_view text);

class CodeNames {
 public:
  /// What is not there names nothing; lines that are none are passed over. Throws tracer::Error where something else
  /// than a regular file has the name.
  explicit CodeNames(const std::filesystem::path& map);
  /// The line whose code contains the address, of several the last; "" none.
  std::string_view find(std::uint64_t address) const;

 private:
  struct Code {
    std::uint64_t end;
    std::size_t at, size;  ///< of its name in text_
  };
  void add_line(std::size_t at, std::size_t end);
  void add(std::uint64_t begin, const Code& code);

  std::string text_;
  std::map<std::uint64_t, Code> codes_;  ///< by begin, disjoint
};

}  // namespace tracer
