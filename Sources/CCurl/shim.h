#pragma once
#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
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
static inline CURLcode dlsync_curl_setopt_socket_callback(CURL *handle, curl_opensocket_callback value) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}
/// Writes an address as text, in the form of CURLINFO_PRIMARY_IP; 0 where it has none.
static inline int dlsync_curl_address_text(const struct curl_sockaddr *address, char *text, unsigned int size) {
    const void *bytes;
    switch (address->family) {
    case AF_INET: bytes = &((const struct sockaddr_in *)(const void *)&address->addr)->sin_addr; break;
    case AF_INET6: bytes = &((const struct sockaddr_in6 *)(const void *)&address->addr)->sin6_addr; break;
    default: return 0;
    }
    return inet_ntop(address->family, bytes, text, size) != 0;
}
static inline curl_socket_t dlsync_curl_open_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}
static inline int dlsync_curl_close_socket(curl_socket_t socket) { return close(socket); }
/// Has a socket keep incomplete packets back, or send them.
static inline void dlsync_curl_hold_back(curl_socket_t socket, int held) {
    setsockopt(socket, IPPROTO_TCP, TCP_CORK, &held, sizeof held);
}
static inline CURLcode dlsync_curl_setopt_close_callback(CURL *handle, curl_closesocket_callback value) {
    return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, value);
}
static inline CURLcode dlsync_curl_setopt_connected_callback(CURL *handle, curl_prereq_callback value) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
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

typedef int (*dlsync_curl_progress_callback)(
    void *context, curl_off_t expected, curl_off_t received, curl_off_t to_send, curl_off_t sent);
static inline CURLcode dlsync_curl_setopt_progress(CURL *handle, dlsync_curl_progress_callback value) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, value);
}

// OpenSSL's word on what libcurl does not tell. Declared by hand: its header would bring thousands of names.
struct ssl_st;
int SSL_get_shutdown(const struct ssl_st *connection);
void SSL_get0_alpn_selected(const struct ssl_st *connection, const unsigned char **name, unsigned int *length);
static inline const struct ssl_st *dlsync_curl_tls(CURL *handle) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
    return session->backend == CURLSSLBACKEND_OPENSSL ? (const struct ssl_st *)session->internals : NULL;
}
/// Whether the server has ended the TLS connection of a running transfer by close_notify: 1 or 0; -1 where there is no
/// such connection, or its TLS is not OpenSSL's.
static inline int dlsync_curl_has_close_notify(CURL *handle) {
    const struct ssl_st *connection = dlsync_curl_tls(handle);
    return connection ? (SSL_get_shutdown(connection) & 2) != 0 : -1; // SSL_RECEIVED_SHUTDOWN
}
/// Whether client and server of a running transfer have agreed upon HTTP/2 (RFC 9113 §3.2); 0 as well where that cannot be told.
static inline int dlsync_curl_speaks_http2(CURL *handle) {
    const unsigned char *name = NULL;
    unsigned int length = 0;
    const struct ssl_st *connection = dlsync_curl_tls(handle);
    if (connection) SSL_get0_alpn_selected(connection, &name, &length);
    return length == 2 && memcmp(name, "h2", 2) == 0;
}
