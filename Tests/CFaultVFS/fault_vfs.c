#include "fault_vfs.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { sector = 512 };

/// What a disk is known to hold of a file, whatever is in the memory of the system: its content at the last sync.
typedef struct disk_file {
    struct disk_file *next;
    char *path;
    unsigned char *bytes;
    sqlite3_int64 size;
    /// Whether a power cut leaves a file of that name.
    int is_durable;
    /// Whether it was deleted, perhaps only in memory.
    int is_deleted;
    /// The content of a file of the same name that was deleted, perhaps only in memory; NULL if there is none.
    unsigned char *former;
    sqlite3_int64 former_size;
} disk_file;

struct fault_vfs {
    sqlite3_vfs base;
    sqlite3_vfs *real;
    char *name;
    fault_kind kind;
    int at;
    int operations;
    int has_happened;
    unsigned long long random;
    disk_file *files;
};

typedef struct {
    sqlite3_file base;
    fault_vfs *vfs;
    disk_file *disk;
    sqlite3_file *real;
} fault_file;

static unsigned long long next_random(fault_vfs *vfs) {
    // SplitMix64 (https://prng.di.unimi.it/splitmix64.c).
    unsigned long long value = (vfs->random += 0x9e3779b97f4a7c15ull);
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
    return value ^ (value >> 31);
}

/// Counts an operation and gives the error that it ends with, or SQLITE_OK. `full` is what a full disk means for it.
static int operation(fault_vfs *vfs, int error, int full) {
    vfs->operations++;
    if (vfs->operations == vfs->at && vfs->kind != FAULT_NONE) vfs->has_happened = 1;
    int is_now = vfs->operations == vfs->at;
    switch (vfs->kind) {
        case FAULT_KILL:
            if (is_now) raise(SIGKILL);
            return SQLITE_OK;
        case FAULT_NONE:
        case FAULT_READ_ONLY:
        case FAULT_NO_PERMISSION: return SQLITE_OK;
        case FAULT_ERROR_ONCE: return is_now ? error : SQLITE_OK;
        case FAULT_FULL_ONCE: return is_now ? full : SQLITE_OK;
        case FAULT_ERROR_FROM_THEN_ON:
        case FAULT_POWER_CUT: return vfs->has_happened ? error : SQLITE_OK;
        case FAULT_FULL_FROM_THEN_ON: return vfs->has_happened ? full : SQLITE_OK;
    }
    return SQLITE_OK;
}

static int is_cut(const fault_vfs *vfs) { return vfs->kind == FAULT_POWER_CUT && vfs->has_happened; }

// MARK: What the disk holds

static disk_file *find(fault_vfs *vfs, const char *path) {
    for (disk_file *file = vfs->files; file; file = file->next) {
        if (strcmp(file->path, path) == 0) return file;
    }
    return NULL;
}

/// Takes what the file holds now for what the disk holds.
static int remember(disk_file *disk, sqlite3_file *real) {
    sqlite3_int64 size = 0;
    int code = real->pMethods->xFileSize(real, &size);
    if (code != SQLITE_OK) return code;
    unsigned char *bytes = malloc(size > 0 ? (size_t)size : 1);
    if (!bytes) return SQLITE_NOMEM;
    if (size > 0) code = real->pMethods->xRead(real, bytes, (int)size, 0);
    if (code != SQLITE_OK) {
        free(bytes);
        return code;
    }
    free(disk->bytes);
    disk->bytes = bytes;
    disk->size = size;
    disk->is_durable = 1;
    // The first sync of a new journal also syncs the folder.
    free(disk->former);
    disk->former = NULL;
    return SQLITE_OK;
}

/// A new file takes the name of one that was deleted.
static void replace(disk_file *disk) {
    if (disk->is_durable) {
        free(disk->former);
        disk->former = disk->bytes;
        disk->former_size = disk->size;
    } else {
        free(disk->bytes);
    }
    disk->bytes = NULL;
    disk->size = 0;
    disk->is_durable = 0;
    disk->is_deleted = 0;
}

// MARK: Files

static int fault_close(sqlite3_file *file) {
    fault_file *self = (fault_file *)file;
    if (self->vfs->kind == FAULT_KILL) operation(self->vfs, SQLITE_OK, SQLITE_OK);
    int code = self->real->pMethods->xClose(self->real);
    free(self->real);
    return code;
}

static int fault_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    fault_file *self = (fault_file *)file;
    if (is_cut(self->vfs)) return SQLITE_IOERR_READ;
    return self->real->pMethods->xRead(self->real, buffer, count, offset);
}

static int fault_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    fault_file *self = (fault_file *)file;
    int code = operation(self->vfs, SQLITE_IOERR_WRITE, SQLITE_FULL);
    if (code != SQLITE_OK) return code;
    return self->real->pMethods->xWrite(self->real, buffer, count, offset);
}

static int fault_truncate(sqlite3_file *file, sqlite3_int64 size) {
    fault_file *self = (fault_file *)file;
    int code = operation(self->vfs, SQLITE_IOERR_TRUNCATE, SQLITE_OK);
    if (code != SQLITE_OK) return code;
    return self->real->pMethods->xTruncate(self->real, size);
}

static int fault_sync(sqlite3_file *file, int flags) {
    fault_file *self = (fault_file *)file;
    int code = operation(self->vfs, SQLITE_IOERR_FSYNC, SQLITE_IOERR_FSYNC);
    (void)flags;
    if (code != SQLITE_OK) return code;
    // The disk itself is spared: what a sync makes durable is written down here.
    return self->disk ? remember(self->disk, self->real) : SQLITE_OK;
}

static int fault_file_size(sqlite3_file *file, sqlite3_int64 *size) {
    fault_file *self = (fault_file *)file;
    if (is_cut(self->vfs)) return SQLITE_IOERR_FSTAT;
    return self->real->pMethods->xFileSize(self->real, size);
}

static int fault_lock(sqlite3_file *file, int level) {
    fault_file *self = (fault_file *)file;
    if (is_cut(self->vfs)) return SQLITE_IOERR_LOCK;
    return self->real->pMethods->xLock(self->real, level);
}

static int fault_unlock(sqlite3_file *file, int level) {
    fault_file *self = (fault_file *)file;
    return self->real->pMethods->xUnlock(self->real, level);
}

static int fault_check_reserved_lock(sqlite3_file *file, int *result) {
    fault_file *self = (fault_file *)file;
    return self->real->pMethods->xCheckReservedLock(self->real, result);
}

static int fault_file_control(sqlite3_file *file, int code, void *argument) {
    fault_file *self = (fault_file *)file;
    return self->real->pMethods->xFileControl(self->real, code, argument);
}

static int fault_sector_size(sqlite3_file *file) {
    (void)file;
    return sector;
}

static int fault_device_characteristics(sqlite3_file *file) {
    // Nothing is promised: not even that a write leaves its neighbours alone.
    (void)file;
    return 0;
}

static int fault_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **result) {
    fault_file *self = (fault_file *)file;
    if (is_cut(self->vfs)) return SQLITE_IOERR_SHMMAP;
    return self->real->pMethods->xShmMap(self->real, page, size, extend, result);
}

static int fault_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    fault_file *self = (fault_file *)file;
    return self->real->pMethods->xShmLock(self->real, offset, count, flags);
}

static void fault_shm_barrier(sqlite3_file *file) {
    fault_file *self = (fault_file *)file;
    self->real->pMethods->xShmBarrier(self->real);
}

static int fault_shm_unmap(sqlite3_file *file, int deletes) {
    fault_file *self = (fault_file *)file;
    return self->real->pMethods->xShmUnmap(self->real, deletes);
}

/// Version 2: no memory mapping, which would pass the file system by.
static const sqlite3_io_methods methods = {
    2, fault_close, fault_read, fault_write, fault_truncate, fault_sync, fault_file_size, fault_lock, fault_unlock,
    fault_check_reserved_lock, fault_file_control, fault_sector_size, fault_device_characteristics, fault_shm_map,
    fault_shm_lock, fault_shm_barrier, fault_shm_unmap, NULL, NULL};

// MARK: The file system

static int fault_open(sqlite3_vfs *base, const char *path, sqlite3_file *file, int flags, int *out_flags) {
    fault_vfs *vfs = (fault_vfs *)base;
    fault_file *self = (fault_file *)file;
    memset(self, 0, sizeof *self);
    int code = operation(vfs, SQLITE_CANTOPEN, SQLITE_OK);
    if (code != SQLITE_OK) return code;
    self->vfs = vfs;
    self->real = calloc(1, (size_t)vfs->real->szOsFile);
    if (!self->real) return SQLITE_NOMEM;
    int exists = 0;
    if (path) vfs->real->xAccess(vfs->real, path, SQLITE_ACCESS_EXISTS, &exists);
    if (vfs->kind == FAULT_NO_PERMISSION || (vfs->kind == FAULT_READ_ONLY && !exists)) {
        free(self->real);
        return SQLITE_CANTOPEN;
    }
    // As the system's own does where it may only read.
    if (vfs->kind == FAULT_READ_ONLY) {
        flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    }
    // The name is SQLite's own, with what stands behind it, and must be handed on as it is.
    code = vfs->real->xOpen(vfs->real, path, self->real, flags, out_flags);
    if (code != SQLITE_OK) {
        if (self->real->pMethods) self->real->pMethods->xClose(self->real);
        free(self->real);
        return code;
    }
    if (path && !(flags & SQLITE_OPEN_DELETEONCLOSE)) {
        self->disk = find(vfs, path);
        if (!self->disk) {
            self->disk = calloc(1, sizeof *self->disk);
            self->disk->path = strdup(path);
            self->disk->next = vfs->files;
            vfs->files = self->disk;
            if (exists) remember(self->disk, self->real);
        } else if (self->disk->is_deleted) {
            replace(self->disk);
        }
    }
    self->base.pMethods = &methods;
    return SQLITE_OK;
}

static int fault_delete(sqlite3_vfs *base, const char *path, int sync_directory) {
    fault_vfs *vfs = (fault_vfs *)base;
    int code = operation(vfs, SQLITE_IOERR_DELETE, SQLITE_OK);
    if (code != SQLITE_OK) return code;
    code = vfs->real->xDelete(vfs->real, path, 0);
    disk_file *disk = find(vfs, path);
    if (code == SQLITE_OK && disk) {
        disk->is_deleted = 1;
        if (sync_directory) {
            disk->is_durable = 0;
            disk->size = 0;
        }
    }
    return code;
}

static int fault_access(sqlite3_vfs *base, const char *path, int flags, int *result) {
    fault_vfs *vfs = (fault_vfs *)base;
    if (is_cut(vfs)) return SQLITE_IOERR_ACCESS;
    return vfs->real->xAccess(vfs->real, path, flags, result);
}

static int fault_full_pathname(sqlite3_vfs *base, const char *path, int size, char *result) {
    fault_vfs *vfs = (fault_vfs *)base;
    return vfs->real->xFullPathname(vfs->real, path, size, result);
}

static int fault_randomness(sqlite3_vfs *base, int size, char *result) {
    fault_vfs *vfs = (fault_vfs *)base;
    return vfs->real->xRandomness(vfs->real, size, result);
}

static int fault_sleep(sqlite3_vfs *base, int microseconds) {
    fault_vfs *vfs = (fault_vfs *)base;
    return vfs->real->xSleep(vfs->real, microseconds);
}

static int fault_current_time(sqlite3_vfs *base, double *result) {
    fault_vfs *vfs = (fault_vfs *)base;
    return vfs->real->xCurrentTime(vfs->real, result);
}

static int fault_get_last_error(sqlite3_vfs *base, int size, char *result) {
    fault_vfs *vfs = (fault_vfs *)base;
    return vfs->real->xGetLastError(vfs->real, size, result);
}

static int fault_current_time64(sqlite3_vfs *base, sqlite3_int64 *result) {
    fault_vfs *vfs = (fault_vfs *)base;
    return vfs->real->xCurrentTimeInt64(vfs->real, result);
}

fault_vfs *fault_vfs_create(const char *name, fault_kind kind, int at, unsigned long long seed) {
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    fault_vfs *vfs = calloc(1, sizeof *vfs);
    if (!real || !vfs) return NULL;
    vfs->real = real;
    vfs->name = strdup(name);
    vfs->kind = kind;
    vfs->at = at;
    vfs->random = seed;
    vfs->base.iVersion = 2;
    vfs->base.szOsFile = (int)sizeof(fault_file);
    vfs->base.mxPathname = real->mxPathname;
    vfs->base.zName = vfs->name;
    vfs->base.xOpen = fault_open;
    vfs->base.xDelete = fault_delete;
    vfs->base.xAccess = fault_access;
    vfs->base.xFullPathname = fault_full_pathname;
    vfs->base.xRandomness = fault_randomness;
    vfs->base.xSleep = fault_sleep;
    vfs->base.xCurrentTime = fault_current_time;
    vfs->base.xGetLastError = fault_get_last_error;
    vfs->base.xCurrentTimeInt64 = fault_current_time64;
    sqlite3_vfs_register(&vfs->base, 0);
    return vfs;
}

int fault_vfs_operations(const fault_vfs *vfs) { return vfs->operations; }

int fault_vfs_happened(const fault_vfs *vfs) { return vfs->has_happened; }

// MARK: The power cut

static unsigned char *contents(const char *path, long *size) {
    *size = -1;
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size > 0 ? (size_t)*size : 1);
    if (bytes && fread(bytes, 1, (size_t)*size, file) != (size_t)*size) *size = -1;
    fclose(file);
    return bytes;
}

/// Leaves of a file what a power cut leaves: all that was synced, and an arbitrary choice of what was written since.
static int cut(fault_vfs *vfs, disk_file *disk) {
    // The deletion of the former file may not have come about.
    if (disk->former && next_random(vfs) % 2) {
        FILE *file = fopen(disk->path, "wb");
        size_t size = (size_t)disk->former_size;
        int code = file && fwrite(disk->former, 1, size, file) == size ? 0 : -1;
        if (file) fclose(file);
        return code;
    }
    long now = -1;
    unsigned char *bytes = contents(disk->path, &now);
    int is_kept = disk->is_durable || (now >= 0 && next_random(vfs) % 2);
    // A deletion that was not synced may not have come about.
    if (disk->is_durable && now < 0 && disk->is_deleted && next_random(vfs) % 2) is_kept = 0;
    if (!is_kept) {
        free(bytes);
        unlink(disk->path);
        return 0;
    }
    sqlite3_int64 size = disk->size;
    if (now >= 0 && next_random(vfs) % 2) size = now;
    unsigned char *left = calloc(1, size > 0 ? (size_t)size : 1);
    for (sqlite3_int64 start = 0; left && start < size; start += sector) {
        sqlite3_int64 end = start + sector < size ? start + sector : size;
        int is_new = next_random(vfs) % 2;
        for (sqlite3_int64 place = start; place < end; place++) {
            if (place < now && (is_new || place >= disk->size)) left[place] = bytes[place];
            if (place < disk->size && !(is_new && place < now)) left[place] = disk->bytes[place];
            // Of what was appended and never synced, a sector may hold anything: here, nothing.
            if (place >= disk->size && !is_new) left[place] = 0;
        }
    }
    FILE *file = fopen(disk->path, "wb");
    int code = file && left && fwrite(left, 1, (size_t)size, file) == (size_t)size ? 0 : -1;
    if (file) fclose(file);
    free(left);
    free(bytes);
    return code;
}

int fault_vfs_destroy(fault_vfs *vfs) {
    int code = 0;
    sqlite3_vfs_unregister(&vfs->base);
    while (vfs->files) {
        disk_file *file = vfs->files;
        vfs->files = file->next;
        size_t length = strlen(file->path);
        if (is_cut(vfs) && cut(vfs, file) != 0) code = -1;
        // What was shared between processes is gone with them.
        if (is_cut(vfs) && !(length > 4 && strcmp(file->path + length - 4, "-wal") == 0)) {
            char *shared = malloc(length + 5);
            snprintf(shared, length + 5, "%s-shm", file->path);
            unlink(shared);
            free(shared);
        }
        free(file->former);
        free(file->bytes);
        free(file->path);
        free(file);
    }
    free(vfs->name);
    free(vfs);
    return code;
}
