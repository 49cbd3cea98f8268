// SPDX-License-Identifier: BSD-3-Clause
// See output_file.hpp.
#include "tracer/cli/output/output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/pending_output.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/error.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;

void write_output(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (path.empty() || path == "-") {
    if (isatty(STDOUT_FILENO) == 1) {
      std::ostringstream out;
      write(out);
      return print_data(out.str());
    }
    write(std::cout);
    if (!std::cout.flush()) throw Error{system_message("cannot write to standard output", errno)};
    return;
  }
  const auto into = [&](const fs::path& file) {
    std::ofstream out{file, std::ios::binary};
    if (!out) throw Error{system_message("cannot write " + path, errno)};
    write(out);
    if (!out.flush()) throw Error{system_message("cannot write " + path, errno)};
  };
  std::error_code error;
  const auto status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return into(path);
  PendingOutput pending{path};
  into(pending.path());
  pending.keep();
}

}  // namespace tracer::cli
