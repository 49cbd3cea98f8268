// SPDX-License-Identifier: BSD-3-Clause
// See sink.hpp.
#include "formats/otf2/write/sink.hpp"

#include "formats/otf2/write/archive.hpp"
#include "formats/otf2/write/location_writer.hpp"

namespace tracer {
namespace {

class Otf2Sink final : public EventSink {
 public:
  Otf2Sink(const std::filesystem::path& directory, const Otf2Options& options)
      : archive_(std::make_shared<otf2::Archive>(directory, options)) {}

  void prepare(const Definitions& definitions) override { archive_->prepare(definitions); }
  std::unique_ptr<LocationWriter> open(LocationRef location) override {
    return std::make_unique<otf2::Otf2LocationWriter>(archive_, location);
  }
  void finish(const Definitions& definitions) override { archive_->finish(definitions); }

 private:
  std::shared_ptr<otf2::Archive> archive_;
};

}  // namespace

bool otf2_library_has_level_3_1() noexcept {
  return OTF2_VERSION_MAJOR > 3 || (OTF2_VERSION_MAJOR == 3 && OTF2_VERSION_MINOR >= 1);
}

std::unique_ptr<EventSink> make_otf2_sink(const std::filesystem::path& directory, const Otf2Options& options) {
  return std::make_unique<Otf2Sink>(directory, options);
}

}  // namespace tracer
