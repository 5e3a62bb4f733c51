import type { Hono } from 'hono';
import { mountControl } from './control/control.ts';
import type { Handlers } from './domains/operation.ts';
import { handlers as allHandlers } from './handlers.ts';
import type { ChanceSource } from './kernel/chance.ts';
import type { Clock } from './kernel/clock.ts';
import { createCursors } from './kernel/cursor.ts';
import { createDerive } from './kernel/derive.ts';
import type { Log } from './kernel/log.ts';
import { createProofs } from './kernel/proofs/factory.ts';
import { createPipeline } from './pipeline.ts';
import { type Contract, loadContract } from './shell/contract.ts';
import { createShell } from './shell/shell.ts';
import { keptSecret } from './store/secrets.ts';
import type { Store } from './store/store.ts';
import { createUnits, freshPlatform } from './store/unit.ts';
import { defaultPlatform, fillReadyMadeWorld } from './worlds/readyMade.ts';

export interface SandboxParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly chance: ChanceSource;
  readonly log: Log;
  /** Where the platforms' clocks stand at their first moment, in milliseconds; they run with the machine's when absent. */
  readonly frozenAt?: number;
  /** Other than the generated one, where a test plants faults. */
  readonly contract?: Contract;
  /** Other than the sandbox's own, where a test plants a handler that breaks the contract. */
  readonly handlers?: Handlers;
}

/**
 * The sandbox as a web-standard app: `(await createSandbox(parts)).fetch(request)` answers a request in process, and a
 * server can put the same app on a port. On a new store it makes the default platform with its ready-made world.
 * @throws StorageUnavailable when the store can't be used.
 */
export async function createSandbox(parts: SandboxParts): Promise<Hono> {
  const { store, clock, chance, log } = parts;
  const cursors = createCursors(await keptSecret(store, 'cursors', chance.scope('secrets/cursors')));
  const derive = createDerive(await keptSecret(store, 'derive', chance.scope('secrets/derive')));
  const units = createUnits({ store, clock, chance, cursors, derive, proofs: createProofs(derive) });
  const frozen = parts.frozenAt === undefined ? {} : { clock: { offsetMs: 0, frozenAt: parts.frozenAt } };
  const firstState = { ...freshPlatform, ...frozen };
  await units.create(defaultPlatform.id, firstState, fillReadyMadeWorld);
  const contract = parts.contract ?? loadContract();
  const serve = createPipeline({ contract, handlers: parts.handlers ?? allHandlers, store, units, log });
  const mount = (app: Hono): void => mountControl(app, { store, units, clock, firstState, fill: fillReadyMadeWorld });
  return createShell({ serve, log, mount });
}
