/** The sandbox inside a program: for tests, with no port and no process of its own. */
import type { Sandbox, SandboxOptions } from './sandboxTypes.ts';

export type { SnapshotDocument, World, WorldName } from '../mocks/sandbox/worlds/shape.ts';
export type { ListenOptions, Sandbox, SandboxOptions } from './sandboxTypes.ts';

const neededNode = 24;

/**
 * Opens a sandbox in this program.
 * @throws Error on a Node before 24, for a file that isn't a data file, and for a world that the interface would refuse.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { node = 'unknown' } = process.versions;
  if (!(Number.parseInt(node, 10) >= neededNode)) {
    throw new Error(`The sandbox needs Node ${neededNode}, this is ${node}. The types and the client run on any.`);
  }
  // Loaded here, so that an older Node gets the sentence above instead of a missing module.
  const { openInProcess } = await import('./inProcess.ts');
  return openInProcess(options);
}
