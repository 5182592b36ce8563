// The system's SQLite, and what Swift cannot call: its variadic functions.
#ifndef STRATA_CSQLITE_H
#define STRATA_CSQLITE_H

#include <sqlite3.h>

/// `sqlite3_db_config` for the options that take a switch: 1 on, 0 off.
static inline int strata_db_config_switch(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

/// `sqlite3_config` for `SQLITE_CONFIG_MEMSTATUS`: 1 on, 0 off. It has no effect once SQLite is in use.
static inline int strata_config_memory_statistics(int value) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, value);
}

#endif
