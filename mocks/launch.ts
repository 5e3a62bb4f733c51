/** What both servers do as a process: take flags, come up or say why not, and stop cleanly. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { basePath } from '../contract/match.ts';
import { type Admission, admissionFlags, readAdmission } from './admission.ts';
import type { Lifecycle } from './detach.ts';
import { type LogFormat, logFormats, type TerminalLog } from './log.ts';
import type { BoundServer } from './sandbox/node/listening/bind.ts';
import { listen } from './sandbox/node/listening/server.ts';
import type { WebApp } from './sandbox/transport/front.ts';

/** Ends the process with exit code 1 and one clear message; for use before anything listens. */
export function giveUp(reason: string): never {
  console.error(reason);
  process.exit(1);
}

/** The flags that every server takes, with `PORT` and `HOST` of the environment as their defaults. */
export function addressFlags(env: NodeJS.ProcessEnv) {
  return {
    port: { type: 'string', default: env['PORT'] ?? '4010' },
    host: { type: 'string', default: env['HOST'] ?? 'localhost' },
    ...admissionFlags(env),
    log: { type: 'string', default: env['LOG'] ?? 'pretty' },
    detach: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const;
}

/**
 * Reads the command line. An unknown flag or a stray word ends the process with the usage, as `--help` does with 0.
 * @param args other than what follows the script's name.
 */
export function readFlags<T extends ParseArgsOptionsConfig>(
  options: T,
  usage: string,
  args: readonly string[] = process.argv.slice(2),
) {
  const { values } = parseOrGiveUp(options, usage, args);
  if ((values as { help?: boolean }).help === true) {
    console.log(usage);
    process.exit(0);
  }
  return values;
}

function parseOrGiveUp<T extends ParseArgsOptionsConfig>(options: T, usage: string, args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false });
  } catch (error) {
    giveUp(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

/** What the flags admit besides this machine. A malformed name or origin ends the process. */
export function admission(flags: { readonly 'allow-host': string[]; readonly 'allow-origin': string[] }): Admission {
  try {
    return readAdmission(flags['allow-host'], flags['allow-origin']);
  } catch (error) {
    giveUp((error as Error).message);
  }
}

/** A flag's text as a whole number from 0 to `maximum`; anything else ends the process. */
export function wholeNumber(flag: string, text: string, maximum: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > maximum)
    giveUp(`${flag} takes a whole number from 0 to ${maximum}, not "${text}".`);
  return value;
}

/** The flag's text as one of the formats; anything else ends the process. */
export function logFormat(text: string): LogFormat {
  const found = logFormats.find((format) => format === text);
  return found ?? giveUp(`--log takes ${logFormats.join(', ')}, not "${text}".`);
}

/** The highest port; 0 asks for any free one. */
export const maxPort = 65_535;

export interface Service {
  readonly app: WebApp;
  readonly log: TerminalLog;
  readonly host: string;
  readonly port: number;
  /** Host names to answer to, beside those of this machine. */
  readonly allowHosts: readonly string[];
  readonly lifecycle: Lifecycle;
  /** What is printed once the service answers; `base` is its base address, version included. */
  ready(base: string): string;
  /** Gives back what the service holds, after the last request and when it could not start. */
  close(): Promise<void>;
}

/**
 * Puts a service on its port, says so, and stops it when told to: no new requests, those in flight finish, exit code 0.
 * A port that can't be had ends the process with one line and exit code 1.
 */
export async function launch(service: Service): Promise<void> {
  const { app, log, host, port, allowHosts, lifecycle } = service;
  const server = await listen(app, host, port, { allowHosts }).catch(
    async (error: NodeJS.ErrnoException): Promise<BoundServer> => {
      await service.close();
      giveUp(
        error.code === 'EADDRINUSE'
          ? `${error.message}. Stop what runs there, or start with --port ${port + 1} (0 for any free port).`
          : `Can't listen on ${host}:${port}: ${error.message}.`,
      );
    },
  );
  lifecycle.takeOver((why) => {
    log.info(`${why}: finishing what is in flight`);
    void server
      .stop()
      .then(() => service.close())
      .then(() => log.drain())
      .then(() => process.exit(0));
  });
  const base = server.address + basePath;
  const text = service.ready(base);
  log.ready(text, base);
  await log.drain();
  lifecycle.tellReady(text);
}
