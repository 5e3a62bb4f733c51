/**
 * `normal` leaves out one sync only, that of the log at the end of every commit, which `Syncs` makes without
 * holding up this thread. The rest is speed: what a savepoint could take back is kept in memory, which makes a unit that
 * writes a third faster; 16 MiB of pages instead of 2. A thread of its own brings the log into the file (`Checkpoints`); the
 * writer does so itself only if that thread has left 128 MiB of it.
 */
export const settings = `
  pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on;
  pragma temp_store = memory; pragma cache_size = -16384; pragma wal_autocheckpoint = 32768`;

/**
 * A database in memory has no log. Every table and every index begins on a page of its own, and most of them stay nearly
 * empty: with pages of 2 KiB instead of 4 a new sandbox needs a third less memory, and less time to make.
 */
export const memorySettings = 'pragma page_size = 2048; pragma foreign_keys = on; pragma temp_store = memory';
