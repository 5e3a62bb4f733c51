/** What both servers do as a process: come up or say why not, and stop cleanly. */

import type { Lifecycle } from '../cli/command/command.ts';
import { WrongUse } from '../cli/command/exit.ts';
import { basePath } from '../contract/match.ts';
import { type Admission, readAdmission } from './admission.ts';
import type { TerminalLog } from './log.ts';
import type { BoundServer } from './sandbox/node/listening/bind.ts';
import { listen } from './sandbox/node/listening/server.ts';
import type { WebApp } from './sandbox/transport/front.ts';

/** Ends the command with one clear message; for use before anything listens. @throws WrongUse */
export function giveUp(reason: string): never {
  throw new WrongUse(reason);
}

/** The flags that say who may call, each as often as wanted. */
export interface AdmissionFlags {
  readonly 'allow-host': readonly string[];
  readonly 'allow-origin': readonly string[];
}

/** What the flags admit besides this machine. @throws WrongUse for a malformed name or origin. */
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
 * @throws WrongUse for a port that can't be had.
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
