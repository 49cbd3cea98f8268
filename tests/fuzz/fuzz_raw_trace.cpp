// SPDX-License-Identifier: BSD-3-Clause
// Any three files as a raw trace: reading and translating it ends in events or an Error, nothing else.
#include "formats/raw/reader.hpp"
#include "fuzz/packed_raw_trace.hpp"
#include "support/scratch.hpp"
#include "tracer/error.hpp"
#include "tracer/event_sink.hpp"
#include "tracer/translate/translate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

class Nowhere final : public tracer::EventSink {
  struct Writer final : tracer::LocationWriter {
    void write(std::span<const tracer::Event>, std::span<const tracer::EventAttribute>) override {}
    void close() override {}
  };
  std::unique_ptr<tracer::LocationWriter> open(tracer::LocationRef) override { return std::make_unique<Writer>(); }
  void finish(const tracer::Definitions&) override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tracer::test::Scratch scratch;
  unsigned flags = 0;
  if (!tracer::test::unpack_raw_trace(data, size, scratch.path(), flags)) return 0;
  try {
    const auto trace = tracer::raw::open_trace(scratch.path());
    for (const auto& channel : trace->journal().channels) {
      const auto reader = trace->records(channel.id);
      while (!reader->next().empty()) {
      }
    }
    const auto devices = trace->device_records();
    while (!devices->next().empty()) {
    }
    if (flags & 2) {
      Nowhere sink;
      tracer::translate::TranslateOptions options;
      options.threads = 1;
      tracer::translate::translate(*trace, sink, options);
    }
  } catch (const tracer::Error&) {
  }
  return 0;
}
