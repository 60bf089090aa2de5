#pragma once
#include <curl/curl.h>
#include <stdint.h>
// The header wraps these in type-checking macros that Swift cannot see through; the functions are variadic, which it
// cannot call. One typed function for each class of argument takes their place.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#undef curl_share_setopt

typedef size_t (*dlsync_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode dlsync_curl_setopt_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode dlsync_curl_setopt_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode dlsync_curl_setopt_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode dlsync_curl_setopt_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode dlsync_curl_setopt_callback(CURL *handle, CURLoption option, dlsync_curl_data_callback value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode dlsync_curl_getinfo_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode dlsync_curl_getinfo_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode dlsync_curl_getinfo_string(CURL *handle, CURLINFO info, const char **value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode dlsync_curl_getinfo_pointer(CURL *handle, CURLINFO info, void **value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLMcode dlsync_curl_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLSHcode dlsync_curl_share_setopt_data(CURLSH *share, CURLSHoption option, curl_lock_data value) {
    return curl_share_setopt(share, option, (int)value);
}
/// The result of a transfer that ended; the field is in a union that Swift shows under another name.
static inline CURLcode dlsync_curl_message_result(const CURLMsg *message) { return message->data.result; }

// The end of a TLS connection. A server says that all was said by close_notify (RFC 8446 §6.1); an end of TCP without it
// may be anybody's doing. libcurl has OpenSSL 3 take the one for the other (SSL_OP_IGNORE_UNEXPECTED_EOF), so that a body
// without a length that was cut anywhere would count as whole, and has no option against it but this callback
// (CURLOPT_SSL_CTX_FUNCTION). The function is declared by hand: OpenSSL's header would bring thousands of names.
struct ssl_ctx_st;
uint64_t SSL_CTX_clear_options(struct ssl_ctx_st *context, uint64_t options);
static inline CURLcode dlsync_curl_clear_ignored_ends(CURL *handle, void *context, void *unused) {
    (void)handle;
    (void)unused;
    SSL_CTX_clear_options((struct ssl_ctx_st *)context, UINT64_C(1) << 7);
    return CURLE_OK;
}
static inline CURLcode dlsync_curl_expect_close_notify(CURL *handle) {
    return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, dlsync_curl_clear_ignored_ends);
}
