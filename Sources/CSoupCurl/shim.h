// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// libcurl for Swift. Setting an option and asking for information take variable arguments, which Swift cannot pass:
// these functions have one form for each type of argument.

#ifndef SOUP_CURL_SHIM_H
#define SOUP_CURL_SHIM_H

#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x075000
#error "CurlTransport needs libcurl 7.80 or newer: older versions do not report that they send a request again"
#endif

/// Receives a part of the head or of the body; returns the number of bytes it took.
typedef size_t (*soup_curl_receive)(char *bytes, size_t size, size_t count, void *context);
/// Receives the number of bytes that have come and gone so far; a value other than 0 ends the transfer.
typedef int (*soup_curl_progress)(
    void *context, curl_off_t download_total, curl_off_t downloaded, curl_off_t upload_total, curl_off_t uploaded);
/// Is called on a connection that is ready, before the request is sent.
typedef int (*soup_curl_before_request)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);

static inline int soup_curl_set_number(void *easy, CURLoption option, long value) {
    return (int)curl_easy_setopt(easy, option, value);
}

static inline int soup_curl_set_size(void *easy, CURLoption option, curl_off_t value) {
    return (int)curl_easy_setopt(easy, option, value);
}

static inline int soup_curl_set_text(void *easy, CURLoption option, const char *value) {
    return (int)curl_easy_setopt(easy, option, value);
}

static inline int soup_curl_set_pointer(void *easy, CURLoption option, void *value) {
    return (int)curl_easy_setopt(easy, option, value);
}

static inline int soup_curl_set_fields(void *easy, struct curl_slist *fields) {
    return (int)curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
}

/// Allows http and https, and nothing else.
static inline int soup_curl_allow_http(void *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return (int)curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return (int)curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/// Lets a transfer end while a thread of libcurl still resolves the name of its server.
///
/// Without it, a timeout in `curl_multi_perform`, and `curl_multi_remove_handle`, join that thread: they return when the
/// name service has answered. With it they detach the thread, which frees its memory when it ends. Tried with libcurl
/// 7.88.1 and a `getaddrinfo` that takes 3 seconds. In libcurl 8.20 the threads belong to the multi handle, and removing
/// an easy handle does not wait for them. Does nothing for versions before 7.87, which always wait.
static inline void soup_curl_leave_resolver(void *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    // The result does not matter: a library that is older than its header does not know the option.
    (void)curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)easy;
#endif
}

static inline int soup_curl_set_callbacks(
    void *easy, void *context, soup_curl_receive head, soup_curl_receive body, soup_curl_progress progress,
    soup_curl_before_request before_request) {
    int failed = (int)curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, progress);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_XFERINFODATA, context);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, before_request);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
    return failed;
}

static inline int soup_curl_set_connections(void *multi, long kept) {
    return (int)curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, kept);
}

/// The next transfer that has ended, and the code it ended with; NULL if there is none.
static inline void *soup_curl_next_ended(void *multi, int *code) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        *code = (int)message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

#endif
