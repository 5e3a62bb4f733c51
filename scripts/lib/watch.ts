/** Watching a folder and everything below it. */
import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/**
 * Calls `onChange` with the path (forward slashes, from `root`) of whatever is written, added or removed in `folder`
 * or below it. Not `fs.watch` with `recursive`: on Linux that loses a file as soon as an editor replaces it.
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
      // A new folder shows up as a renamed entry of the one it is in.
      if (event === 'rename') addBelow(directory);
      onChange(`${directory}/${name}`);
    });
    const forget = () => {
      watcher.close();
      watchers.delete(directory);
    };
    // A folder that is removed ends its watcher with an error on some systems.
    watcher.on('error', forget);
    watchers.set(directory, watcher);
  };

  const addBelow = (directory: string): void => {
    try {
      for (const entry of readdirSync(join(root, directory), { withFileTypes: true })) {
        if (entry.isDirectory()) addTree(`${directory}/${entry.name}`);
      }
    } catch {
      // Gone again already: a later event will say so.
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
