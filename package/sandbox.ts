/** The sandbox inside a program, for tests: no port and no separate process. */
import type { Sandbox, SandboxOptions } from './sandboxTypes.ts';

export type { SnapshotDocument, World, WorldName } from '../mocks/sandbox/worlds/shape.ts';
export type { ListenOptions, Sandbox, SandboxOptions } from './sandboxTypes.ts';

const neededNode = 24;

/**
 * Opens a sandbox in this program.
 * @throws Error on Node before 24, if the file isn't a data file, and for a world that the interface would refuse.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { node = 'unknown' } = process.versions;
  if (!(Number.parseInt(node, 10) >= neededNode)) {
    throw new Error(
      `The sandbox needs Node ${neededNode}, this is ${node}. Run "npm install -D node@24", which npm scripts and npx then use. The types and the client run on any.`,
    );
  }
  // Loaded here, so that an older Node reports the sentence above instead of a missing module.
  const { openInProcess } = await import('./inProcess.ts');
  return openInProcess(options);
}
