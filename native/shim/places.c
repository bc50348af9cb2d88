/* ---- where resources lie --------------------------------------------------------------------- */

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The path that a URI of a file means: `file:///a%20b`, `file:/a`, `file://localhost/a`; a plain path
 * is taken as it is. */
static char *path_of(const char *uri) {
    if (strncmp(uri, "file:", 5)) return joined_text(uri, "", "");
    const char *at = uri + 5;
    if (!strncmp(at, "//", 2)) {
        at += 2;
        if (!strncmp(at, "localhost/", 10)) at += 9;
    }
#ifdef _WIN32
    if (*at == '/' && at[1] && at[2] == ':') at++;
#endif
    char *found = joined_text(at, "", ""), *to = found;
    for (; found && *at; at++) {
        int high = *at == '%' ? digit_of(at[1]) : -1, low = high < 0 ? -1 : digit_of(at[2]);
        if (low >= 0) {
            *to++ = (char)(16 * high + low);
            at += 2;
        } else {
            *to++ = *at;
        }
    }
    if (found) *to = 0;
    return found;
}

/* The URI of a path, with all escaped that is no plain letter. */
static char *uri_of(const char *path) {
    static const char plain[] = "-._~/";
    static const char digits[] = "0123456789ABCDEF";
    char *found = malloc(3 * strlen(path) + 10), *to = found;
    if (!found) return NULL;
    to += sprintf(to, "file://%s", *path == '/' ? "" : "/");
    for (const char *c = path; *c; c++) {
        unsigned char letter = (unsigned char)*c;
        bool drive = *c == ':' && c == path + 1;
        bool number = *c >= '0' && *c <= '9';
        bool usual = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || number;
        if (usual || drive || strchr(plain, *c)) {
            *to++ = *c;
        } else if (*c == '\\') {
            *to++ = '/';
        } else {
            *to++ = '%';
            *to++ = digits[letter >> 4];
            *to++ = digits[letter & 15];
        }
    }
    *to = 0;
    return found;
}

#ifdef _WIN32
static wchar_t *wide(const char *text) {
    int n = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
    wchar_t *found = calloc((size_t)n + 1, sizeof *found);
    if (found) MultiByteToWideChar(CP_UTF8, 0, text, -1, found, n);
    return found;
}

static FILE *opened_file(const char *path) {
    wchar_t *name = wide(path);
    FILE *file = name ? _wfopen(name, L"rb") : NULL;
    free(name);
    return file;
}
#else
static FILE *opened_file(const char *path) { return fopen(path, "rb"); }
#endif

/* All of a file, with its size; NULL if it cannot be read. */
static unsigned char *content_of(const char *path, uint64_t *size) {
    FILE *file = opened_file(path);
    unsigned char *bytes = NULL;
    size_t room = 0, n = 0;
    if (!file) return NULL;
    for (;;) {
        if (n == room) {
            unsigned char *more = realloc(bytes, room = 2 * room + 4096);
            if (!more) break;
            bytes = more;
        }
        size_t got = fread(bytes + n, 1, room - n, file);
        if (!got) break;
        n += got;
    }
    fclose(file);
    *size = n;
    return bytes;
}

static bool is_there(const char *path) {
    FILE *file = opened_file(path);
    if (file) fclose(file);
    return file != NULL;
}

/* The folder of resources beside the folder that this library lies in: of importers that say nothing, or
 * something else. */
static char *beside_library(void) {
    char *found = NULL;
#ifdef _WIN32
    HMODULE module = NULL;
    wchar_t name[4096];
    char text[8192];
    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            (LPCWSTR)(void *)&beside_library, &module))
        return NULL;
    if (!GetModuleFileNameW(module, name, 4095)) return NULL;
    if (!WideCharToMultiByte(CP_UTF8, 0, name, -1, text, sizeof text, NULL, NULL)) return NULL;
    for (char *c = text; *c; c++)
        if (*c == '\\') *c = '/';
    found = joined_text(text, "", "");
#else
    Dl_info info;
    void *(*here)(void) = (void *(*)(void))beside_library;
    void *address;
    memcpy(&address, &here, sizeof address);
    if (!dladdr(address, &info) || !info.dli_fname) return NULL;
    char *whole = realpath(info.dli_fname, NULL);
    found = joined_text(whole ? whole : info.dli_fname, "", "");
    free(whole);
#endif
    for (int up = 0; found && up < 3; up++) { /* its name, its platform, binaries */
        char *cut = strrchr(found, '/');
        if (cut) *cut = 0;
    }
    char *resources = found ? joined_text(found, "/resources", "") : NULL;
    free(found);
    return resources;
}

#ifndef RESOURCE_MARK
#define RESOURCE_MARK "/export.bin" /* the file by which resources are known */
#endif

/* The folder with that file: the one that was told, else beside the library. */
static char *resources_of(const char *told) {
    for (int which = 0; which < 2; which++) {
        char *folder = which ? beside_library() : told && *told ? path_of(told) : NULL;
        size_t n = folder ? strlen(folder) : 0;
        while (n > 1 && (folder[n - 1] == '/' || folder[n - 1] == '\\')) folder[--n] = 0;
        char *block = folder ? joined_text(folder, RESOURCE_MARK, "") : NULL;
        bool there = block && is_there(block);
        free(block);
        if (there) return folder;
        free(folder);
    }
    return NULL;
}
