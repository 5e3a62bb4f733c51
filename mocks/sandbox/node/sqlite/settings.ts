/**
 * `normal` skips only one sync, that of the log at the end of every commit. `Syncs` makes that one without blocking
 * this thread. The other settings are for speed. Data to undo a savepoint is kept in memory, which makes a writing unit
 * a third faster. The cache has 16 MiB instead of 2. A separate thread moves the log into the file (`Checkpoints`). The
 * writer does so itself only if that thread has left 128 MiB.
 */
export const settings = `
  pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on;
  pragma temp_store = memory; pragma cache_size = -16384; pragma wal_autocheckpoint = 7168;
  pragma journal_size_limit = 29360128`;

/**
 * A database in memory has no log. Every table and index starts on its own page, and most pages stay nearly empty. With
 * pages of 2 KiB instead of 4, a new sandbox needs a third less memory and opens faster.
 */
export const memorySettings = 'pragma page_size = 2048; pragma foreign_keys = on; pragma temp_store = memory';
