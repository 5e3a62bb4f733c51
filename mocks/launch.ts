/** What both servers do as a process: start or explain why they can't, and stop cleanly. */

import type { Lifecycle } from '../cli/command/command.ts';
import { WrongUse } from '../cli/command/exit.ts';
import { basePath } from '../contract/match.ts';
import { type Admission, readAdmission } from './admission.ts';
import type { TerminalLog } from './log.ts';
import type { BoundServer } from './sandbox/node/listening/bind.ts';
import { listen } from './sandbox/node/listening/server.ts';
import type { WebApp } from './sandbox/transport/front.ts';

/** Ends the command with a clear message, before anything listens. @throws WrongUse */
export function giveUp(reason: string): never {
  throw new WrongUse(reason);
}

/** The flags for allowed callers. Each may be repeated. */
export interface AdmissionFlags {
  readonly 'allow-host': readonly string[];
  readonly 'allow-origin': readonly string[];
}

/** The callers that the flags allow besides those of this machine. @throws WrongUse for a malformed name or origin */
export function admission(flags: AdmissionFlags): Admission {
  try {
    return readAdmission(flags['allow-host'], flags['allow-origin']);
  } catch (error) {
    giveUp((error as Error).message);
  }
}

export interface Service {
  readonly app: WebApp;
  readonly log: TerminalLog;
  readonly host: string;
  readonly port: number;
  /** Host names to accept, besides those of this machine. */
  readonly allowHosts: readonly string[];
  readonly lifecycle: Lifecycle;
  /** Client id and secret, in curl's format. */
  readonly credentials: string;
  /** Whether the ready text is for a person, or one line of JSON for a script. */
  readonly format: 'text' | 'json';
  /** The text for a person, printed once the service answers. `base` is its base address, including the version. */
  ready(base: string): string;
  /** Releases the service's resources, after the last request or after a failed start. */
  close(): Promise<void>;
}

/**
 * Starts a service on its port and prints that it is ready. When it gets a signal to stop, it accepts no new requests,
 * finishes those in flight, and exits with 0.
 * @throws WrongUse if the port isn't available.
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
  const isForPeople = service.format === 'text';
  const text = isForPeople ? service.ready(base) : readyLine(server.address, service.credentials);
  if (isForPeople) log.ready(text, base);
  else log.line(text);
  await log.drain();
  lifecycle.tellReady(text);
}

/** What a script needs to know of a service: docs/how-to/background.md lists the fields. */
function readyLine(url: string, credentials: string): string {
  const version = basePath.slice(1);
  return JSON.stringify({ url, base: url + basePath, version, credentials, pid: process.pid });
}
