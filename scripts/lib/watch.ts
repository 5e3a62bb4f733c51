/** Watches a folder and everything below it. */
import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/**
 * Calls `onChange` with the path (forward slashes, from `root`) of each file that is written, added or removed in
 * `folder` or below. It doesn't use `fs.watch` with `recursive`, because on Linux that loses a file as soon as an
 * editor replaces it.
 *
 * @param root an absolute path
 * @param folder a folder below it
 */
export function watchTree(root: string, folder: string, onChange: (file: string) => void): void {
  const watchers = new Map<string, FSWatcher>();

  const add = (directory: string): void => {
    if (watchers.has(directory)) return;
    const watcher = watch(join(root, directory), (event, name) => {
      if (name === null) return;
      // A new folder appears as a "rename" event in its parent folder.
      if (event === 'rename') addBelow(directory);
      onChange(`${directory}/${name}`);
    });
    const forget = () => {
      watcher.close();
      watchers.delete(directory);
    };
    // On some systems a watcher fails when its folder is removed.
    watcher.on('error', forget);
    watchers.set(directory, watcher);
  };

  const addBelow = (directory: string): void => {
    try {
      for (const entry of readdirSync(join(root, directory), { withFileTypes: true })) {
        if (entry.isDirectory()) addTree(`${directory}/${entry.name}`);
      }
    } catch {
      // The folder is already gone. A later event will report that.
      watchers.get(directory)?.close();
      watchers.delete(directory);
    }
  };

  const addTree = (directory: string): void => {
    add(directory);
    addBelow(directory);
  };

  addTree(folder);
}
