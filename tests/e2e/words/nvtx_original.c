// SPDX-License-Identifier: BSD-3-Clause
// Says all that NVTX's own headers in C have words for, and prints what it said (said.py).
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>

#include <nvtx3/nvToolsExt.h>
#if defined(WITH_EXTENSIONS)
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#endif

static void said(const char* what, const char* name, const char* value) {
  printf("%s %s %s\n", what, name, value);
}

static nvtxEventAttributes_t attributes(const char* message) {
  nvtxEventAttributes_t made;
  memset(&made, 0, sizeof made);
  made.version = NVTX_VERSION;
  made.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  made.messageType = NVTX_MESSAGE_TYPE_ASCII;
  made.message.ascii = message;
  return made;
}

static void ranges(void) {
  for (int i = 0; i < 3; ++i) {
    nvtxRangePushA("narrow");
    nvtxRangePushW(L"wide \u00e4\u20ac\U0001F600");
    nvtxMarkA("narrow mark");
    nvtxMarkW(L"wide mark");
    nvtxRangePop();
    nvtxRangePop();
  }
  const nvtxRangeId_t first = nvtxRangeStartA("started"), second = nvtxRangeStartW(L"started wide");
  nvtxRangeEnd(first);
  nvtxRangeEnd(second);
  said("range", "narrow", "3");
  said("range", "wide \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "3");
  said("range", "narrow mark", "3");
  said("range", "wide mark", "3");
  said("range", "started", "1");
  said("range", "started wide", "1");
}

static void payloads(void) {
  nvtxEventAttributes_t with = attributes("unsigned payload");
  with.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  with.payload.ullValue = 18446744073709551615ull;
  nvtxMarkEx(&with);
  said("attribute", "unsigned payload|PAYLOAD", "18446744073709551615");
  with = attributes("signed payload");
  with.payloadType = NVTX_PAYLOAD_TYPE_INT32;
  with.payload.iValue = -7;
  nvtxMarkEx(&with);
  said("attribute", "signed payload|PAYLOAD_SIGNED", "-7");
  with = attributes("double payload");
  with.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  with.payload.dValue = -0.125;
  nvtxRangePushEx(&with);
  nvtxRangePop();
  said("attribute", "double payload|PAYLOAD_REAL", "-0.125");
  with = attributes("float payload");
  with.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
  with.payload.fValue = 2.5f;
  nvtxRangeEnd(nvtxRangeStartEx(&with));
  said("attribute", "float payload|PAYLOAD_REAL", "2.5");
}

static void domains(void) {
  nvtxDomainHandle_t narrow = nvtxDomainCreateA("narrow domain"), wide = nvtxDomainCreateW(L"wide domain");
  nvtxNameCategoryA(3, "category");
  nvtxDomainNameCategoryA(narrow, 3, "narrow-category");
  nvtxDomainNameCategoryW(wide, 3, L"wide-category");
  nvtxEventAttributes_t with = attributes("in the default domain");
  with.category = 3;
  nvtxRangePushEx(&with);
  nvtxRangePop();
  with = attributes(NULL);
  with.category = 3;
  with.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  with.message.registered = nvtxDomainRegisterStringA(narrow, "registered");
  nvtxDomainRangePushEx(narrow, &with);
  nvtxDomainRangePop(narrow);
  with.message.registered = nvtxDomainRegisterStringW(wide, L"registered wide");
  with.colorType = NVTX_COLOR_ARGB;
  with.color = 0xff102030u;
  nvtxDomainMarkEx(wide, &with);
  nvtxDomainRangeEnd(wide, nvtxDomainRangeStartEx(wide, &with));
  nvtxDomainDestroy(narrow);
  nvtxDomainDestroy(wide);
  said("attribute", "in the default domain|CATEGORY", "category");
  said("attribute", "registered|CATEGORY", "narrow-category");
  said("attribute", "registered wide|CATEGORY", "wide-category");
  said("attribute", "registered wide|COLOR", "4279246896");
  said("range", "registered", "1");
  said("range", "registered wide", "2");
}

static void* named_thread(void* wide) {
  const uint32_t thread = (uint32_t)syscall(SYS_gettid);
  if (wide != NULL)
    nvtxNameOsThreadW(thread, L"wide thread");
  else
    nvtxNameOsThreadA(thread, "narrow thread");
  nvtxMarkA("in a thread with a name");
  return NULL;
}

static void threads(void) {
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, named_thread, i == 0 ? NULL : &thread) == 0) pthread_join(thread, NULL);
  }
  said("thread", "narrow thread", "1");
  said("thread", "wide thread", "1");
  said("range", "in a thread with a name", "2");
}

#if defined(WITH_EXTENSIONS)
struct state {
  uint8_t kind;
  double residual;
  uint32_t iterations;
};

static uint64_t state_schema(nvtxDomainHandle_t domain, uint64_t flags) {
  static const nvtxPayloadSchemaEntry_t entries[] = {{.type = NVTX_PAYLOAD_ENTRY_TYPE_UINT8, .name = "kind"},
                                                     {.type = NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, .name = "residual"},
                                                     {.type = NVTX_PAYLOAD_ENTRY_TYPE_UINT32, .name = "iterations"}};
  const nvtxPayloadSchemaAttr_t schema = {
      .fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE,
      .name = "state",
      .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
      .flags = flags,
      .entries = entries,
      .numEntries = 3,
      .payloadStaticSize = sizeof(struct state)};
  return nvtxPayloadSchemaRegister(domain, &schema);
}

static void extended_payloads(void) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("extended");
  const struct state state = {9, 0.25, 12};
  const nvtxPayloadData_t data = {state_schema(domain, NVTX_PAYLOAD_SCHEMA_FLAG_NONE), sizeof state, &state};
  nvtxEventAttributes_t with = attributes("payload by a schema");
  with.payloadType = NVTX_PAYLOAD_TYPE_EXT;
  with.reserved0 = 1;
  with.payload.ullValue = (uint64_t)(uintptr_t)&data;
  nvtxDomainRangePushEx(domain, &with);
  nvtxDomainRangePop(domain);
  said("attribute", "payload by a schema|PAYLOAD", "9");
  const nvtxPayloadData_t text = {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, sizeof "texts", "texts"};
  with = attributes("payload that is a text");
  with.payloadType = NVTX_PAYLOAD_TYPE_EXT;
  with.reserved0 = 1;
  with.payload.ullValue = (uint64_t)(uintptr_t)&text;
  nvtxDomainMarkEx(domain, &with);
  said("attribute", "payload that is a text|PAYLOAD_TEXT", "texts");
  static const nvtxPayloadSchemaEntry_t entries[] = {
      {.flags = NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE, .type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, .name = "message"},
      {.type = NVTX_PAYLOAD_ENTRY_TYPE_INT64, .name = "count"}};
  const nvtxPayloadSchemaAttr_t schema = {
      .fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS |
                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES,
      .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
      .flags = NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSHPOP,
      .entries = entries,
      .numEntries = 2};
  const struct {
    const char* message;
    int64_t count;
  } whole = {"message in the payload", -5};
  const nvtxPayloadData_t all = {nvtxPayloadSchemaRegister(domain, &schema), sizeof whole, &whole};
  nvtxRangePushPayload(domain, &all, 1);
  nvtxRangePopPayload(domain, &all, 1);
  nvtxRangeEndPayload(domain, nvtxRangeStartPayload(domain, &all, 1), &all, 1);
  nvtxMarkPayload(domain, &all, 1);
  said("range", "message in the payload", "3");
  said("attribute", "message in the payload|PAYLOAD_SIGNED", "-5");
}

static void counters(void) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("counted");
  const nvtxSemanticsCounter_t bytes = {.header = {.structSize = sizeof bytes,
                                                   .semanticId = NVTX_SEMANTIC_ID_COUNTERS_V1,
                                                   .version = NVTX_COUNTER_SEMANTIC_VERSION},
                                        .unit = "bytes",
                                        .unitScaleNumerator = 1,
                                        .unitScaleDenominator = 1};
  nvtxCounterAttr_t counter = {.structSize = sizeof counter,
                               .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
                               .name = "integers",
                               .semantics = &bytes.header};
  const uint64_t integers = nvtxCounterRegister(domain, &counter);
  counter =
      (nvtxCounterAttr_t){.structSize = sizeof counter, .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, .name = "reals"};
  const uint64_t reals = nvtxCounterRegister(domain, &counter);
  counter = (nvtxCounterAttr_t){.structSize = sizeof counter,
                                .schemaId = state_schema(domain, NVTX_PAYLOAD_SCHEMA_FLAG_COUNTER_GROUP),
                                .name = "group",
                                .counterId = NVTX_COUNTER_ID_STATIC_START + 5};
  nvtxCounterRegister(domain, &counter);
  for (int i = 0; i < 4; ++i) {
    const struct state state = {(uint8_t)i, i / 4.0, 100u * (unsigned)i};
    nvtxCounterSampleInt64(domain, integers, -i);
    nvtxCounterSampleFloat64(domain, reals, i / 8.0);
    nvtxCounterSample(domain, NVTX_COUNTER_ID_STATIC_START + 5, &state, sizeof state);
  }
  nvtxCounterSampleNoValue(domain, integers, NVTX_COUNTER_SAMPLE_UNAVAILABLE);
  nvtxCounterSampleInt64(domain, 12345, 1);  // that nobody registered
  said("counter", "integers", "4");
  said("last", "integers", "-3");
  said("unit", "integers", "bytes");
  said("counter", "reals", "4");
  said("last", "reals", "0.375");
  said("last", "group: kind", "3");
  said("last", "group: residual", "0.75");
  said("last", "group: iterations", "300");
}
#endif

int main(void) {
  ranges();
  payloads();
  domains();
  threads();
#if defined(WITH_EXTENSIONS)
  extended_payloads();
  counters();
#endif
  return 0;
}
