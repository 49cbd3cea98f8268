// SPDX-License-Identifier: BSD-3-Clause
// Any four files as an archive: the report and the exports of it, or an Error.
#include <ostream>
#include <streambuf>

#include "formats/chrome/chrome.hpp"
#include "formats/otf2/read/event_source.hpp"
#include "formats/perfetto/perfetto.hpp"
#include "fuzz/packed_archive.hpp"
#include "support/scratch.hpp"
#include "tracer/error.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/replay/timeline.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/forms/write.hpp"
#include "tracer/report/page/html.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace tracer;

class Nowhere final : public std::streambuf {
  int overflow(int c) override { return c; }
  std::streamsize xsputn(const char*, std::streamsize size) override { return size; }
};

void write(EventSource& source, TimelineVisitor& visitor) {
  report::Replay replay{source.definitions()};
  report::Timeline timeline{source.definitions(), visitor};
  replay.add(timeline);
  source.read(replay);
  replay.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::Scratch scratch;
  std::filesystem::create_directories(scratch / "traces");
  test::unpack(data, size, scratch.path());
  Nowhere nowhere;
  std::ostream out{&nowhere};
  try {
    const auto source = otf2::open_archive(scratch / "traces.otf2");
    const report::Report report = report::analyze(*source);
    report::to_json(report);
    report::to_text(report, {});
    if (size % 4 == 0) report::write_html({source.get(), &report, {}}, {}, out, {});
    const auto chrome = make_chrome_writer(source->definitions(), out);
    write(*source, *chrome);
    const auto perfetto = make_perfetto_writer(source->definitions(), out);
    write(*source, *perfetto);
  } catch (const Error&) {
  }
  return 0;
}
