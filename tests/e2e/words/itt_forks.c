// SPDX-License-Identifier: BSD-3-Clause
// Forks children while another thread creates ITT's handles; each child creates one, and ends. One that waits for a
// lock of that thread is ended by its alarm, and the program has status 1. Prints what it said (said.py).
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "itt.h"

enum { children = 200, handles = 20000 };
static void *domain_create, *string_create, *task_begin, *task_end;
static struct itt_row rows[] = {{"__itt_domain_create", &domain_create, 0, 0, 0},
                                {"__itt_string_handle_create", &string_create, 0, 0, 0},
                                {"__itt_task_begin", &task_begin, 0, 0, 0},
                                {"__itt_task_end", &task_end, 0, 0, 0},
                                {0, 0, 0, 0, 0}};
static volatile int is_done;

static void* create(void* function, const char* text) {
  return function != NULL ? ((void* (*)(const char*))function)(text) : NULL;
}

static void* create_handles(void* unused) {
  for (int i = 0; !is_done; i = (i + 1) % handles) {
    char text[32];
    snprintf(text, sizeof text, "handle %d", i);
    create(string_create, text);
  }
  return unused;
}

static int fork_one(void) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    const void* first = create(string_create, "of a child");
    _exit(first == create(string_create, "of a child") ? 0 : 2);
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(void) {
  itt_initialize(rows, 3);
  void* domain = create(domain_create, "forks");
  void* name = create(string_create, "around the forks");
  const struct itt_id null = {0, 0, 0};
  if (task_begin != NULL) ((void (*)(void*, struct itt_id, struct itt_id, void*))task_begin)(domain, null, null, name);
  pthread_t thread;
  if (pthread_create(&thread, NULL, create_handles, NULL) != 0) return 2;
  int ended = 0;
  while (ended < children && fork_one()) ++ended;
  is_done = 1;
  pthread_join(thread, NULL);
  if (task_end != NULL) ((void (*)(void*))task_end)(domain);
  puts("range around the forks 1");
  return ended == children ? 0 : 1;
}
