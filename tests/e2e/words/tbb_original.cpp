// SPDX-License-Identifier: BSD-3-Clause
// A program of oneTBB, whose library has ITT's original static part: the bodies of a flow graph are tasks of ITT, and
// events of the user are metadata.
#define TBB_USE_PROFILING_TOOLS 1
#include <tbb/flow_graph.h>
#include <tbb/profiling.h>
#include <atomic>
#include <cstdio>

int main() {
  std::atomic<int> ran{0};
  {
    tbb::flow::graph graph;
    tbb::flow::function_node<int, int> square(graph, tbb::flow::unlimited, [&](int n) { return ++ran, n * n; });
    for (int i = 0; i < 20; ++i) square.try_put(i);
    graph.wait_for_all();
  }
  tbb::profiling::event moment("moment");
  for (int i = 0; i < 3; ++i) moment.emit();
  if (ran != 20) return 2;
  std::puts("range body 20");
  std::puts("range user_event 3");
  std::puts("attribute user_event|PAYLOAD_TEXT FGA::DATAID::moment");
}
