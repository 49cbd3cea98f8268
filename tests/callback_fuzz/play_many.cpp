// SPDX-License-Identifier: BSD-3-Clause
// play_many DIRECTORY < scripts: plays one script after the other, each in a process of its own made by fork, and says
// what `tracer check` finds in its archive. Each process starts and ends the tool as any program does, with its
// destructors and, under AddressSanitizer, its search for leaks; only loading the libraries is spared.
//
// In: a line with the script's number of bytes, and the script. Out: a line of JSON for each.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "script.hpp"
#include "tracer/check/check.hpp"
#include "tracer/convert/recover.hpp"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr unsigned most_seconds = 60;  // a script plays in milliseconds; sanitizers and a loaded machine are slow

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Runs `work` in a process of its own, which ends as one that returns from main, and waits for it. "" or what went
/// wrong.
std::string in_own_process(const fs::path& output, const std::function<void()>& work) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return "fork failed";
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(3);
    alarm(most_seconds);
    const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    dup2(file, 1);
    dup2(file, 2);
    int status = 0;
    try {
      work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      status = 2;
    }
    std::exit(status);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string said = text_of(output);
  if (said.find("runtime error:") != said.npos) return said;  // UndefinedBehaviorSanitizer's
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  const std::string how = WIFEXITED(status)             ? "exit status " + std::to_string(WEXITSTATUS(status))
                          : WTERMSIG(status) == SIGALRM ? "the process does not end"
                                                        : "signal " + std::to_string(WTERMSIG(status));
  return how + "\n" + said;
}

void play(const std::string& text, const fs::path& trace) {
  setenv("TRACER_OUTPUT", trace.c_str(), 1);
  std::istringstream lines(text);
  const fake::Script script = fake::parse_script(lines);
  fake::Runtime runtime(script.version);
  if (!runtime.start()) std::fprintf(stderr, "the tool declined\n");
  fake::play(script, runtime);
}

Json check(const fs::path& anchor) {
  Json broken = Json::array();
  const tracer::check::CheckReport report = tracer::check::check(anchor);
  for (const auto& finding : report.findings) {
    if (finding.outcome != tracer::check::Outcome::violated) continue;
    broken.push_back({{"rule", finding.rule},
                      {"count", finding.count},
                      {"location", finding.first.location},
                      {"event", finding.first.position},
                      {"what", finding.first.what}});
  }
  return broken;
}

/// What is wrong with this script's run: {"fault": text} or {"broken": [rules]}.
Json run(const std::string& text, const fs::path& directory) {
  const fs::path trace = directory / "trace", output = directory / "output";
  fs::remove_all(trace);
  if (std::string fault = in_own_process(output, [&] { play(text, trace); }); !fault.empty()) return {{"fault", fault}};
  const fs::path anchor = trace / "traces.otf2";
  if (!fs::exists(anchor) && fs::exists(trace / "raw")) {  // the script ended the process: no hook was left
    std::string fault = in_own_process(output, [&] { tracer::recover(trace); });
    if (fault.find("before anything was recorded") != fault.npos)
      return {{"broken", Json::array()}};  // nothing to make
    if (!fault.empty()) return {{"fault", "recover: " + fault}};
  }
  if (!fs::exists(anchor)) return {{"fault", "no archive: " + text_of(output)}};
  Json broken;
  try {
    broken = check(anchor);
  } catch (const std::exception& error) {
    return {{"fault", std::string("check: ") + error.what()}};
  }
  return {{"broken", broken}};
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIRECTORY < scripts\n", argv[0]);
    return 2;
  }
  for (std::string line; std::getline(std::cin, line);) {
    std::string text(std::stoul(line), '\0');
    if (!std::cin.read(text.data(), static_cast<std::streamsize>(text.size()))) return 2;
    std::cout << run(text, argv[1]).dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  }
  return 0;
} catch (const std::exception& exception) {
  std::fprintf(stderr, "play_many: %s\n", exception.what());
  return 2;
}
