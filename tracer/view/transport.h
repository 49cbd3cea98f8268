/* SPDX-License-Identifier: BSD-3-Clause
 * Between `tracer view` and libtracer-view.so, which alone has the HTTP library in it and is opened for this command:
 * no other command needs that library to be there. C, so that neither side's C++ library matters. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRACER_VIEW_VERSION 2

typedef struct {
  const char *name, *value;
} tracer_view_pair;

typedef struct {
  const char *method, *path, *host, *origin, *cookie;
  const tracer_view_pair* words; /* of the query */
  size_t number_of_words;
} tracer_view_request;

/* What is pointed to is copied. A header of "" is not sent. */
typedef struct {
  int status;
  const char *type, *body;
  size_t bytes;
  const char *cookie, *location;
} tracer_view_reply;

typedef void (*tracer_view_send)(void* to, const tracer_view_reply* reply);

typedef struct {
  int version;        /* TRACER_VIEW_VERSION */
  const char* policy; /* the Content-Security-Policy */
  int first_port, last_port;
  /* Once, when the port is open: the server answers from now on. 0: it is to end instead. Throws nothing. */
  int (*ready)(void* context, int port);
  /* On any thread, several at a time. Calls send(to, ...) once. */
  void (*answer)(void* context, const tracer_view_request* request, tracer_view_send send, void* to);
  void* context;
} tracer_view_server;

/* Serves on 127.0.0.1 until SIGINT, SIGTERM or SIGHUP. 0: it ended so, or by ready(); 1: no port is free; 2: another
 * version. */
int tracer_view_serve(const tracer_view_server* server);

#ifdef __cplusplus
}
#endif
