// SPDX-License-Identifier: BSD-3-Clause
// The anchor file: one header, fixed fields, strings, and what later versions appended.
#include <string>
#include <system_error>

#include "formats/otf2/common/byte_cursor.hpp"
#include "formats/otf2/common/file.hpp"
#include "formats/otf2/read/reader.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t largest_anchor = 64 << 20;
constexpr std::uint64_t smallest_chunk = 256 * 1024, largest_chunk = 16 * 1024 * 1024;

fs::path find_anchor(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw Error("there is no trace " + path.string());
  return fs::is_directory(path, error) ? path / "traces.otf2" : path;
}

void read_properties(ByteCursor& in, ArchiveInfo& out) {
  const auto count = in.u32();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    Property property;
    property.name = in.string();
    property.value = in.string();
    out.properties.push_back(std::move(property));
  }
}

void require_supported(const ArchiveInfo& info) {
  const auto name = info.anchor.string();
  if (info.substrate != 1) throw Error(name + ": only archives of plain files can be read, not SIONlib containers");
  if (info.compression != 1) throw Error(name + ": compressed archives cannot be read");
  for (const auto chunk : {info.event_chunk, info.definition_chunk}) {
    if (chunk < smallest_chunk || chunk > largest_chunk)
      throw Error(name + " is damaged: a chunk size is out of range");
  }
}

}  // namespace

const std::string* ArchiveInfo::property(std::string_view property_name) const {
  const Property* const found = find_property(properties, property_name);
  return found == nullptr ? nullptr : &found->value;
}

fs::path ArchiveInfo::event_file(std::uint64_t location) const {
  return directory / name / (std::to_string(location) + ".evt");
}

fs::path ArchiveInfo::local_definition_file(std::uint64_t location) const {
  return directory / name / (std::to_string(location) + ".def");
}

ArchiveInfo read_anchor(const fs::path& path) {
  ArchiveInfo info;
  info.anchor = find_anchor(path);
  info.directory = info.anchor.parent_path();
  info.name = info.anchor.stem().string();
  const auto bytes = read_whole(info.anchor, largest_anchor);
  ByteCursor in{bytes.data(), bytes.data() + bytes.size()};
  if (in.u8() != 3) throw Error(info.anchor.string() + " is not an OTF2 anchor file");
  in.endianness();
  if (in.string() != "OTF2") throw Error(info.anchor.string() + " is not an OTF2 anchor file");
  const auto anchor_format = in.u8();
  info.format = in.u8();
  for (auto& part : info.version) part = in.u8();
  info.event_chunk = in.u64();
  info.definition_chunk = in.u64();
  info.substrate = in.u8();
  info.compression = in.u8();
  info.locations = in.u64();
  info.definitions = in.u64();
  info.machine = in.string();
  info.creator = in.string();
  info.description = in.string();
  if (anchor_format > 1) {
    read_properties(in, info);
    in.u64();  // the identifier of the trace
  }
  if (in.failed()) throw Error(info.anchor.string() + " is damaged: it is cut off");
  require_supported(info);
  return info;
}

}  // namespace tracer::otf2
