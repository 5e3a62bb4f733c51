/** Turns the table of rooms.ts into import rules for dependency-cruiser, and finds entries that no import needs. */
import { type Room, rooms } from './rooms.ts';

/** The room of a file; undefined if it has none. */
export function roomOf(file: string): Room | undefined {
  return rooms.find((room) => new RegExp(filesOf(room)).test(file));
}

/** A path that names files is closer than any folder. The longer of two folders is closer. */
function closeness({ path }: Room): number {
  return namesFiles(path) ? Number.POSITIVE_INFINITY : path.length;
}

function namesFiles(path: string): boolean {
  return /\.\w+$|\*$/.test(path);
}

function patternOf({ path }: Room): string {
  const escaped = path.replaceAll('.', '[.]').replaceAll('*', '[^/]+');
  return namesFiles(path) ? `${escaped}$` : `${escaped}/`;
}

/** Whether some files could belong to both rooms: one path, up to its first star, is the beginning of the other. */
function overlap(one: Room, other: Room): boolean {
  const [first, second] = [one, other].map(({ path }) => path.split('*')[0] as string) as [string, string];
  return first.startsWith(second) || second.startsWith(first);
}

/** A regular expression for the files of a room, without those that belong to a closer room. */
function filesOf(room: Room): string {
  const closer = rooms.filter((other) => closeness(other) > closeness(room) && overlap(room, other));
  const except = closer.length === 0 ? '' : `(?!${closer.map(patternOf).join('|')})`;
  return `^${except}${patternOf(room)}`;
}

/** An import rule in dependency-cruiser's format. */
export interface ImportRule {
  readonly name: string;
  readonly comment: string;
  readonly severity: 'error';
  readonly from: { readonly path?: string; readonly pathNot?: string };
  readonly to: { readonly path?: string; readonly pathNot?: string; readonly dependencyTypes?: readonly string[] };
}

/** Matches every file that has a room. */
const ours = `^(?:${[...new Set(rooms.map(({ path }) => path.split('/')[0]))].join('|')})/`;

/**
 * A rule for each room against the imports that it may not have, and one for all rooms that may not import Node's
 * modules.
 */
export function importRules(): ImportRule[] {
  const severity = 'error';
  const forRooms = rooms.flatMap((room): ImportRule[] => {
    const allowed = rooms.filter((other) => room.may.includes(other.path));
    const comment = `${room.path} may import ${room.may.length === 0 ? 'no other room' : room.may.join(', ')} (scripts/check/rooms.ts).`;
    return [
      {
        name: room.path,
        comment,
        severity,
        from: { path: filesOf(room) },
        to: { path: ours, pathNot: [room, ...allowed].map(filesOf).join('|') },
      },
    ];
  });
  const free = rooms.filter((room) => room.node === undefined);
  return [
    ...forRooms,
    {
      name: 'without-node',
      comment: "A room that can run in a browser imports no module of Node's (scripts/check/rooms.ts).",
      severity,
      from: { path: free.map(filesOf).join('|') },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'every-file-has-a-room',
      comment: 'What lies in no room may import nothing of ours: give it one (scripts/check/rooms.ts).',
      severity,
      from: { pathNot: rooms.map(filesOf).join('|') },
      to: { path: ours },
    },
  ];
}

/** Packages with types only. The resolver doesn't find them. */
export const typePackages: readonly string[] = ['har-format', 'sarif'];

/** The part of dependency-cruiser's graph that is read here. */
export interface ImportGraph {
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly { readonly resolved: string; readonly dependencyTypes: readonly string[] }[];
  }[];
}

/** The entries of the table that no import needs, a sentence for each. */
export function findUnneeded({ modules }: ImportGraph): string[] {
  const used = new Set<string>();
  for (const { source, dependencies } of modules) {
    const room = roomOf(source);
    if (room === undefined) continue;
    used.add(room.path);
    for (const { resolved, dependencyTypes } of dependencies) {
      if (dependencyTypes.includes('core')) used.add(`${room.path} node`);
      used.add(resolved);
      const other = roomOf(resolved);
      if (other !== undefined) used.add(`${room.path} ${other.path}`);
    }
  }
  const unneeded = typePackages.filter((name) => !used.has(name)).map((name) => `no file imports ${name} any more`);
  const idle = rooms.flatMap(({ path, may, node: isFree }) => {
    if (!used.has(path)) return [`the room ${path} has no file`];
    const imports = isFree === undefined ? may : [...may, 'node'];
    return imports
      .filter((other) => !used.has(`${path} ${other}`))
      .map((other) => `${path} may import ${other}, but no file there does any more`);
  });
  return [...idle, ...unneeded];
}
