// SPDX-License-Identifier: BSD-3-Clause
// Speaks to libtracer.so as a front end does: speaker LIBRARY ORDER. A letter of ORDER each:
//   c connect   s say a range   t say one in a new thread   o a parallel region of two threads   f a forked child that
//   says one i intern and facts   e a function at the end that says one   x exit(7)
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/front_end.h"

enum { range_push = 38, range_pop = 39 };

static const struct tracer_front_end* tracer;
static unsigned said;

static void say(const char* text) {
  if (tracer == NULL) return;
  const uint32_t name = tracer->intern(text, strlen(text));
  tracer->emit(TRACER_WORD(range_push, 1, 0), name, 0, 0);
  tracer->emit_at(tracer->now(), TRACER_WORD(range_pop, 2, 0), 0, 0, 0);
  ++said;
}

static void* thread(void* text) {
  say(text);
  return NULL;
}

static void at_end(void* text) {
  say(text);
}

static void parallel_region(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads += 1;
  if (threads == 0) printf("no thread\n");
}

static void connect_to(const char* path) {
  const struct tracer_front_end* (*connect_function)(uint32_t) = NULL;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library != NULL) *(void**)&connect_function = dlsym(library, "tracer_connect");
  if (connect_function == NULL) exit(3);
  if (connect_function(TRACER_FRONT_END_VERSION + 1) != NULL || connect_function(0) != NULL) exit(4);
  tracer = connect_function(TRACER_FRONT_END_VERSION);
  if (tracer != connect_function(TRACER_FRONT_END_VERSION)) exit(5);
  if (tracer != NULL && (tracer->version != TRACER_FRONT_END_VERSION || tracer->size < sizeof *tracer)) exit(6);
}

static void names_and_facts(void) {
  if (tracer == NULL) return;
  const uint32_t one = tracer->intern("one", 3), again = tracer->intern("one more", 3),
                 other = tracer->intern("other", 5);
  if (one == 0 || one != again || one == other) exit(8);
  tracer->fact("SPEAKER", "first");
  tracer->fact("SPEAKER", "second");
  tracer->count("speaker.counted", 2);
  tracer->count("speaker.counted", 3);
  if (!tracer->recording() || tracer->directory()[0] != '/') exit(9);
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  int status = 0;
  for (const char* order = arguments[2]; *order != '\0'; ++order) {
    pthread_t other;
    if (*order == 'c') connect_to(arguments[1]);
    if (*order == 's') say("main");
    if (*order == 't' && pthread_create(&other, NULL, thread, "thread") == 0) pthread_join(other, NULL);
    if (*order == 'o') parallel_region();
    if (*order == 'i') names_and_facts();
    if (*order == 'e' && tracer != NULL) tracer->at_end(at_end, "end");
    if (*order == 'f') {
      const pid_t child = fork();
      if (child == 0) {
        say("child");
        exit(0);
      }
      waitpid(child, &status, 0);
    }
    if (*order == 'x') exit(7);
  }
  printf("said %u\n", said);
  return status;
}
