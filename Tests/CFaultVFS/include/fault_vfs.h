#ifndef FAULT_VFS_H
#define FAULT_VFS_H

/// A file system for SQLite that fails when it is told to. It wraps the system's own.
typedef struct fault_vfs fault_vfs;

/// What happens at the operation that is chosen. Writes, syncs, truncations, openings and deletions are counted.
typedef enum {
    /// Nothing: operations are only counted.
    FAULT_NONE,
    /// It fails with an input/output error.
    FAULT_ERROR_ONCE,
    /// It and all that follow fail with an input/output error.
    FAULT_ERROR_FROM_THEN_ON,
    /// It fails because the disk is full.
    FAULT_FULL_ONCE,
    /// It and all writes that follow fail because the disk is full.
    FAULT_FULL_FROM_THEN_ON,
    /// The power goes: nothing works any more, and of what was not synced an arbitrary part is lost.
    FAULT_POWER_CUT,
    /// The process is killed just before it. The closing of a file is an operation here too.
    FAULT_KILL,
    /// No operation is chosen: what is there can be read, and nothing written.
    FAULT_READ_ONLY,
    /// No operation is chosen: nothing can be opened.
    FAULT_NO_PERMISSION
} fault_kind;

/// Registers a file system called `name` that does `kind` at the operation number `at`, counted from 1; `seed` chooses
/// what a power cut loses.
fault_vfs *fault_vfs_create(const char *name, fault_kind kind, int at, unsigned long long seed);

/// The number of operations so far.
int fault_vfs_operations(const fault_vfs *vfs);

/// Whether the chosen operation came.
int fault_vfs_happened(const fault_vfs *vfs);

/// Unregisters the file system, when all connections are closed, and does to the files what the power cut did.
/// Returns 0, or -1 where a file could not be written.
int fault_vfs_destroy(fault_vfs *vfs);

#endif
