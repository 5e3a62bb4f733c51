/**
 * What follows from the table of rooms.ts: import rules for dependency-cruiser, and what the table allows though no import
 * needs it.
 */
import { type Room, rooms } from './rooms.ts';

/** The room of a file; undefined for one that has none. */
export function roomOf(file: string): Room | undefined {
  return rooms.find((room) => new RegExp(filesOf(room)).test(file));
}

/** A path that names files is closer than any folder, and of two folders the longer one. */
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

/** Whether some files could belong to both: one path, up to its first star, is the beginning of the other. */
function overlap(one: Room, other: Room): boolean {
  const [first, second] = [one, other].map(({ path }) => path.split('*')[0] as string) as [string, string];
  return first.startsWith(second) || second.startsWith(first);
}

/** A regular expression for the files of a room, without those that belong to a closer one. */
function filesOf(room: Room): string {
  const closer = rooms.filter((other) => closeness(other) > closeness(room) && overlap(room, other));
  const except = closer.length === 0 ? '' : `(?!${closer.map(patternOf).join('|')})`;
  return `^${except}${patternOf(room)}`;
}

/** An import rule in the form that dependency-cruiser takes. */
export interface ImportRule {
  readonly name: string;
  readonly comment: string;
  readonly severity: 'error';
  readonly from: { readonly path?: string; readonly pathNot?: string };
  readonly to: { readonly path?: string; readonly pathNot?: string; readonly dependencyTypes?: readonly string[] };
}

/** Every file of a room. */
const ours = `^(?:${[...new Set(rooms.map(({ path }) => path.split('/')[0]))].join('|')})/`;

/** For each room a rule against what it may not import, and one for all that may not import a module of Node. */
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

/** Packages that are types alone, which no resolver finds. */
export const typePackages: readonly string[] = ['har-format', 'sarif'];

/** As much of dependency-cruiser's graph as is read here. */
export interface ImportGraph {
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly { readonly resolved: string; readonly dependencyTypes: readonly string[] }[];
  }[];
}

/** What the table allows though no import needs it, a sentence for each. */
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
      .map((other) => `${path} may import ${other}, and nothing there does any more`);
  });
  return [...idle, ...unneeded];
}
