// SPDX-License-Identifier: BSD-3-Clause
// Opens libraries and calls them, as interpreters do. Words: NAME=VALUE sets a variable; open:FILE, lazy:FILE
// (RTLD_LAZY), deep:FILE (RTLD_DEEPBIND), global:FILE and apart:FILE (in another namespace) open a library;
// call:FUNCTION:TIMES calls what the last one has; both:FUNCTION:TIMES from a thread of its own, too;
// other:FUNCTION:TIMES from such a thread only; fork:FUNCTION:TIMES in a child; failing:FUNCTION:TIMES between a failed
// dlopen() and the question why; close closes the last one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void* last;
static long total;

struct calls {
  int (*function)(int);
  int times;
};

static void* work(void* argument) {
  const struct calls* calls = argument;
  long sum = 0;
  for (int i = 0; i < calls->times; ++i) sum += calls->function(10);
  __atomic_add_fetch(&total, sum, __ATOMIC_RELAXED);
  return NULL;
}

static void work_after_failure(struct calls* calls) {
  if (dlopen("./none.so", RTLD_NOW)) exit(4);
  work(calls);
  const char* error = dlerror();
  puts(error ? error : "no error");
}

static struct calls calls_of(char* word) {
  char* colon = strchr(word, ':');
  *colon = '\0';
  struct calls calls = {NULL, atoi(colon + 1)};
  void* symbol = dlsym(last, word);
  memcpy(&calls.function, &symbol, sizeof symbol);
  if (!calls.function) exit((puts(dlerror()), 3));
  return calls;
}

static void use_library(void* library) {
  last = library;
  if (!last) exit((puts(dlerror()), 2));
}

static void open_library(const char* path, int flags) {
  use_library(dlopen(path, flags));
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    char *word = argv[i], *rest = strchr(word, ':');
    if (rest) *rest++ = '\0';
    if (!rest && strchr(word, '=')) {
      putenv(word);
    } else if (strcmp(word, "open") == 0) {
      open_library(rest, RTLD_NOW);
    } else if (strcmp(word, "lazy") == 0) {
      open_library(rest, RTLD_LAZY);
    } else if (strcmp(word, "apart") == 0) {
      use_library(dlmopen(LM_ID_NEWLM, rest, RTLD_NOW));
    } else if (strcmp(word, "deep") == 0) {
      open_library(rest, RTLD_NOW | RTLD_DEEPBIND);
    } else if (strcmp(word, "global") == 0) {
      open_library(rest, RTLD_NOW | RTLD_GLOBAL);
    } else if (strcmp(word, "close") == 0) {
      dlclose(last);
    } else {
      struct calls calls = calls_of(rest);
      pthread_t thread;
      if (strcmp(word, "fork") == 0) {
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
          work(&calls);
          printf("child %ld\n", total);
          fflush(stdout);
          exit(0);
        }
        waitpid(child, NULL, 0);
        continue;
      }
      if (strcmp(word, "failing") == 0) {
        work_after_failure(&calls);
        continue;
      }
      if (strcmp(word, "both") == 0 || strcmp(word, "other") == 0) {
        pthread_create(&thread, NULL, work, &calls);
        pthread_join(thread, NULL);
      }
      if (strcmp(word, "other") != 0) work(&calls);
    }
  }
  printf("total %ld\n", total);
  return 0;
}
