// SPDX-License-Identifier: BSD-3-Clause
// See output_file.hpp.
#include "tracer/cli/output/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <system_error>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/output_stream.hpp"
#include "tracer/base/files/pending_output.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/error.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;

std::string why_not_writable(const std::string& path) {
  if (path.empty() || path == "-") return {};
  const auto denied = [&path](int error) { return system_message("cannot write " + path, error); };
  const auto check = [&denied](const fs::path& what, int mode) {
    return ::faccessat(AT_FDCWD, what.c_str(), mode, AT_EACCESS) == 0 ? std::string{} : denied(errno);
  };
  std::error_code error;
  const auto status = fs::status(path, error);
  if (fs::is_directory(status)) return denied(EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) return check(path, W_OK);
  const fs::path target = fs::exists(status) ? fs::canonical(path, error) : fs::path{path};
  return check((target.has_parent_path() ? target.parent_path() : fs::path{"."}) / ".", W_OK | X_OK);
}

void require_writable(const std::string& path) {
  if (const std::string why = why_not_writable(path); !why.empty()) throw Error{why};
}

void write_output(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (path.empty() || path == "-") {
    if (isatty(STDOUT_FILENO) == 1) {
      std::ostringstream out;
      write(out);
      return print_data(out.str());
    }
    flush_output();
    OutputStream out{STDOUT_FILENO};
    write(out);
    if (const int why = out.close()) throw Error{system_message("cannot write to standard output", why)};
    return;
  }
  const auto into = [&](const fs::path& file) {
    OutputStream out{file};
    if (out) write(out);
    if (const int why = out.close()) throw Error{system_message("cannot write " + path, why)};
  };
  std::error_code error;
  const auto status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return into(path);
  PendingOutput pending{path};
  into(pending.path());
  pending.keep();
}

}  // namespace tracer::cli
