/** `countersign <command> …`: what this repository gives to users, under one name. */
import type { Lifecycle } from '../mocks/detach.ts';

interface Command {
  readonly does: string;
  /** Takes what follows its name and gives the exit code, or nothing while it goes on running. */
  run(lifecycle: Lifecycle, args: readonly string[]): Promise<number | undefined>;
}

const commands: Readonly<Record<string, Command>> = {
  check: {
    does: 'judge recorded traffic (HAR) by the contract',
    run: async (_lifecycle, args) => (await import('./check.ts')).main(args),
  },
  proxy: {
    does: 'judge live traffic on its way to a service, and record it',
    run: async (lifecycle, args) => (await import('./proxy.ts')).main(lifecycle, args),
  },
  start: {
    does: 'start the sandbox',
    run: async (lifecycle, args) => (await import('../mocks/sandbox/main.ts')).main(lifecycle, args),
  },
};

const lines = Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(8)} ${does}`);
const usage = `Usage: countersign <command> [options]\n\n${lines.join('\n')}\n\ncountersign <command> --help says more.\n`;

/** Runs the command that the first word names. @returns the exit code, or nothing while it goes on running */
export async function main(lifecycle: Lifecycle, [name = '', ...args]: readonly string[]): Promise<number | undefined> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command.run(lifecycle, args);
  if (name === '--help') {
    console.log(usage);
    return 0;
  }
  console.error(name === '' ? usage : `There is no command "${name}".\n\n${usage}`);
  return 2;
}
