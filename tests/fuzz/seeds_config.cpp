// SPDX-License-Identifier: BSD-3-Clause
// Seeds of fuzz_config: settings as users write them, right and wrong.
#include <filesystem>
#include <fstream>
#include <string>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::filesystem::create_directories(argv[1]);
  const char* const seeds[] = {
      "TRACER=on\nTRACER_OUTPUT=/tmp/"
      "%x-%p-%h-%t\nTRACER_RECORD=default,-mutex,+chunks\nTRACER_RING_SIZE=512K\nTRACER_MEMORY=64M",
      "TRACER_ON_FULL=newest\nTRACER_FLUSH_SIGNAL=USR1\nTRACER_SIZE_LIMIT=2G\nTRACER_SPOOL=/dev/"
      "shm\nTRACER_CLOCK=system",
      "TRACER_DEVICE=cupti\nTRACER_DEVICE_BUFFER=1M\nTRACER_DEVICE_MEMORY=1T\nTRACER_CONVERT=later\nTRACER_KEEP_RAW="
      "yes",
      "TRACER_THREADS=1024\nTRACER_LOG=debug\nTRACER_FILTER=a.filter\nTRACER_LAUNCH=0123\nOMP_NUM_THREADS=4",
      "TRACER_MEMORY=-1\nTRACER_THREADS=x\nTRACER_RECORD=nothing\nTRACER_UNKNOWN=1\nTRACER_SIZE_LIMIT="
      "99999999999999999999T\n=\nTRACER"};
  int number = 0;
  for (const char* seed : seeds) std::ofstream{std::filesystem::path{argv[1]} / std::to_string(number++)} << seed;
}
