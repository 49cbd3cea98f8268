// SPDX-License-Identifier: BSD-3-Clause
// dump_records RAW: the records of a raw trace, channel by channel, as the runtime gave them: for those
// who look for the reason of a golden text.
#include <cstdio>
#include <exception>

#include "formats/raw/reader.hpp"
#include "tracer/record_table.hpp"

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s RAW\n", argv[0]);
    return 2;
  }
  const auto source = tracer::raw::open_trace(argv[1]);
  for (const tracer::ChannelInfo& channel : source->journal().channels) {
    std::printf("channel %u, thread %llu\n", channel.id, static_cast<unsigned long long>(channel.os_thread_id));
    const auto reader = source->records(channel.id);
    for (auto batch = reader->next(); !batch.empty(); batch = reader->next()) {
      for (const tracer::Record& record : batch) {
        const auto name = tracer::name_of(record.kind);
        std::printf("  %llu %-16.*s %d sub %#x a %#x b %#llx c %#llx\n", static_cast<unsigned long long>(record.time),
                    static_cast<int>(name.size()), name.data(), static_cast<int>(record.endpoint), record.sub, record.a,
                    static_cast<unsigned long long>(record.b), static_cast<unsigned long long>(record.c));
      }
    }
  }
  return 0;
} catch (const std::exception& exception) {
  std::fprintf(stderr, "dump_records: %s\n", exception.what());
  return 1;
}
