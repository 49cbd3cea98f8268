// SPDX-License-Identifier: BSD-3-Clause
// See record_file.hpp.
#include "formats/otf2/read/record_file.hpp"

#include <string>
#include <utility>

#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 30;
enum Mark : std::uint8_t { end_of_chunk = 0, end_of_file = 2, chunk_header = 3 };

}  // namespace

RecordFile::RecordFile(std::filesystem::path file)
    : file_(std::move(file)),
      bytes_(read_whole(file_, largest_file)),
      in_(bytes_.data(), bytes_.data() + bytes_.size()),
      body_(nullptr, nullptr) {
  if (in_.u8() != chunk_header) damaged("it does not begin as a definition file");
  in_.endianness();
  if (in_.failed()) damaged("its header is cut off or damaged");
}

bool RecordFile::next() {
  for (;;) {
    if (!in_.more()) damaged("it ends without its end mark");
    kind_ = in_.u8();
    switch (kind_) {
      case end_of_chunk:
        continue;  // where the writer flushed
      case end_of_file:
        return false;
      case chunk_header:
        in_.endianness();
        continue;
      default:
        break;
    }
    body_ = in_.part(in_.record_length());
    if (in_.failed()) damaged("a record is cut off");
    return true;
  }
}

void RecordFile::damaged(const char* what) const {
  throw Error(file_.string() + " is damaged: " + what);
}

}  // namespace tracer::otf2
