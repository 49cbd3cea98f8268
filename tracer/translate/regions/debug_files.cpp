// SPDX-License-Identifier: BSD-3-Clause
// See debug_files.hpp.
#include "tracer/translate/regions/debug_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "tracer/base/files/crc32.hpp"
#include "tracer/base/text.hpp"
#include "tracer/translate/regions/zstd_sections.hpp"

namespace tracer::translate {
namespace {

/// The checksum that .gnu_debuglink has of its file.
std::uint32_t debuglink_checksum(int fd) {
  std::uint32_t sum = 0;
  std::vector<char> buffer(1 << 20);
  for (off_t at = 0;;) {
    const ssize_t got = pread(fd, buffer.data(), buffer.size(), at);
    if (got <= 0) return sum;
    sum = crc32({buffer.data(), static_cast<std::size_t>(got)}, sum);
    at += got;
  }
}

/// The debug file that a stripped one names: beside it, in .debug, or below /usr/lib/debug.
int find_debuglink(const std::string& file, const std::string& link, std::uint32_t checksum, std::string& path) {
  if (link.empty() || link.find('/') != std::string::npos || file.find('/') == std::string::npos) return -1;
  const std::string place = file.substr(0, file.find_last_of('/') + 1);
  for (const std::string& candidate : {place + link, place + ".debug/" + link, "/usr/lib/debug" + place + link}) {
    if (candidate == file || !is_file(candidate)) continue;
    const int fd = open(candidate.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) continue;
    if (debuglink_checksum(fd) == checksum) {
      path = candidate;
      return fd;
    }
    close(fd);
  }
  return -1;
}

/// As libdw can read it.
int readable(int fd) {
  const int plain = without_zstd(fd);
  if (plain < 0) return fd;
  close(fd);
  return plain;
}

}  // namespace

bool is_file(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

int without_zstd_at(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const int plain = without_zstd(file);
  if (file >= 0) close(file);
  return plain;
}

int find_debuginfo(Dwfl_Module* module, void**, const char*, Dwarf_Addr, const char* file, const char* link,
                   GElf_Word checksum, char** name) {
  // So libdwfl asks for the file that dwz makes for several others (.gnu_debugaltlink). libdw finds that one itself.
  if (link != nullptr && checksum == 0) return -1;
  const unsigned char* bits = nullptr;
  GElf_Addr address = 0;
  const int size = libdw()->dwfl_module_build_id(module, &bits, &address);
  if (size >= 2) {
    const std::string id = hexadecimal({bits, static_cast<std::size_t>(size)});
    const std::string path = "/usr/lib/debug/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug";
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
      *name = strdup(path.c_str());
      return readable(fd);
    }
  }
  std::string path;
  const int fd = file && link ? find_debuglink(file, link, checksum, path) : -1;
  if (fd < 0) return -1;
  *name = strdup(path.c_str());
  return readable(fd);
}

}  // namespace tracer::translate
