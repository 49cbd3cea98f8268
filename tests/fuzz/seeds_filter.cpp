// SPDX-License-Identifier: BSD-3-Clause
// Seeds of fuzz_filter: files as Score-P's users have them, and durations.
#include <filesystem>
#include <fstream>
#include <string>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::filesystem::create_directories(argv[1]);
  const char* const seeds[] = {
      "SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE *\n  INCLUDE foo bar \"a b\" # all\nSCOREP_REGION_NAMES_END\n",
      "SCOREP_FILE_NAMES_BEGIN\n  EXCLUDE */src/[a-z]*.c\n  INCLUDE */main.?\nSCOREP_FILE_NAMES_END\n",
      "SCOREP_REGION_NAMES_BEGIN EXCLUDE MANGLED _Z*\\ x\nSCOREP_REGION_NAMES_END\n",
      "EXCLUDE x\n",
      "1.5 ms",
      "10us",
      "200"};
  int number = 0;
  for (const char* seed : seeds) std::ofstream{std::filesystem::path{argv[1]} / std::to_string(number++)} << seed;
}
