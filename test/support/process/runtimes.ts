/**
 * Finds the runtimes other than Node that the examples need on this machine. In a separate file, because the reporter
 * uses it too, and it can't import anything of Vitest.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A runtime of an example. */
export interface Runtime {
  /** What is missing on a machine without it, and how to install it on Debian. */
  readonly needs: string;
  /** The environment variables for its example; undefined on a machine without the runtime. */
  find(): Readonly<Record<string, string>> | undefined;
}

const succeeds = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore', timeout: 30_000 }).status === 0;

const jars = ['junit-platform-console-standalone', 'jackson-databind'].map((name) => `/usr/share/java/${name}.jar`);

/** Runtimes by the folder of the example. */
export const runtimes: Readonly<Record<string, Runtime>> = {
  pytest: {
    needs: 'pytest, pytest-xdist and requests (apt-get install python3-pytest python3-pytest-xdist python3-requests)',
    find() {
      // A Python that the user installed may come first on the PATH. Debian installs packages for its own.
      const python = ['python3', '/usr/bin/python3'].find((one) =>
        succeeds(one, '-c', 'import pytest, requests, xdist'),
      );
      return python === undefined ? undefined : { PYTHON: python };
    },
  },
  junit: {
    needs: 'javac, JUnit 5 and Jackson (apt-get install default-jdk-headless junit5 libjackson2-databind-java)',
    find: () => (succeeds('javac', '-version') && jars.every((jar) => existsSync(jar)) ? {} : undefined),
  },
  go: {
    needs: 'go (apt-get install golang-go)',
    find: () => (succeeds('go', 'version') ? {} : undefined),
  },
};

/** A sentence for each example that can't run here. */
export function describeMissingRuntimes(): string[] {
  return Object.entries(runtimes)
    .filter(([, runtime]) => runtime.find() === undefined)
    .map(([folder, { needs }]) => `not run, as this machine lacks ${needs}: examples/${folder}`);
}
