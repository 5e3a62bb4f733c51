/** `countersign <command> …`: what this repository gives to users, under one name. */

/** Each takes what follows its name and gives the exit code, or nothing while it goes on running. */
const commands: Readonly<Record<string, { readonly does: string; run(args: string[]): Promise<number | undefined> }>> =
  {
    check: {
      does: 'judge recorded traffic (HAR) by the contract',
      run: async (args) => (await import('./check.ts')).main(args),
    },
    proxy: {
      does: 'judge live traffic on its way to a service, and record it',
      run: async (args) => (await import('./proxy.ts')).main(args),
    },
    start: { does: 'start the sandbox', run: startSandbox },
  };

/** The sandbox reads the command line by itself. */
async function startSandbox(args: string[]): Promise<undefined> {
  process.argv.splice(2, process.argv.length, ...args);
  await import('../mocks/sandbox/main.ts');
}

const lines = Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(8)} ${does}`);
const usage = `Usage: countersign <command> [options]\n\n${lines.join('\n')}\n\ncountersign <command> --help says more.\n`;

const [name = '', ...rest] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command !== undefined) process.exitCode = await command.run(rest);
else if (name === '--help') console.log(usage);
else {
  console.error(name === '' ? usage : `There is no command "${name}".\n\n${usage}`);
  process.exitCode = 2;
}
