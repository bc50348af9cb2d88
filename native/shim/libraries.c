/* ---- libraries of parts ---------------------------------------------------------------------- */

/* No twin: ctypes opens them for Python. */

#if defined(__aarch64__) || defined(_M_ARM64)
#define MACHINE "aarch64"
#elif defined(__x86_64__) || defined(_M_X64)
#define MACHINE "x86_64"
#elif defined(__i386__) || defined(_M_IX86)
#define MACHINE "x86"
#else
#define MACHINE "unknown"
#endif
#if defined(_WIN32)
#define SYSTEM "windows"
#elif defined(__APPLE__)
#define SYSTEM "darwin"
#else
#define SYSTEM "linux"
#endif

/* What FMI 1 and 2 call the folder of this machine, and FMI 3; parts may use either. */
static const char *const platforms[] = {
#if defined(_WIN32) && defined(__x86_64__)
    "win64",
#elif defined(__APPLE__)
    "darwin64",
#elif defined(__x86_64__)
    "linux64",
#endif
    MACHINE "-" SYSTEM,
};
enum { N_PLATFORMS = sizeof platforms / sizeof *platforms };

#ifdef _WIN32
static void *library_at(const char *path) {
    wchar_t *name = wide(path);
    for (wchar_t *c = name; c && *c; c++)
        if (*c == '/') *c = '\\';
    void *found = name ? LoadLibraryExW(name, NULL, LOAD_WITH_ALTERED_SEARCH_PATH) : NULL;
    free(name);
    return found;
}
static void *symbol_in(void *library, const char *name) {
    void *found;
    FARPROC address = GetProcAddress(library, name);
    memcpy(&found, &address, sizeof found);
    return found;
}
static void library_left(void *library) { FreeLibrary(library); }
static const char *library_trouble(void) { return "Windows does not load it"; }
#else
static void *library_at(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void *symbol_in(void *library, const char *name) { return dlsym(library, name); }
static void library_left(void *library) { (void)library; } /* threads of it may still run there */
static const char *library_trouble(void) {
    const char *said = dlerror();
    return said ? said : "it is not there";
}
#endif
