import type { Hono } from 'hono';
import { mountControl } from './control/control.ts';
import { checkWorld } from './control/platforms.ts';
import { mountReference } from './control/reference.ts';
import type { Handlers } from './domains/operation.ts';
import { effects } from './effects.ts';
import { handlers as allHandlers } from './handlers.ts';
import { createJournal, noJournal } from './journal.ts';
import type { ChanceSource } from './kernel/chance.ts';
import type { Clock } from './kernel/clock.ts';
import { createCursors } from './kernel/cursor.ts';
import { createDerive } from './kernel/derive.ts';
import type { Log } from './kernel/log.ts';
import { createProofs } from './kernel/proofs/factory.ts';
import type { Proofs } from './kernel/proofs/proofs.ts';
import { createPipeline } from './pipeline.ts';
import { type Contract, loadContract } from './shell/contract.ts';
import { createShell } from './shell/shell.ts';
import { keptSecret } from './store/secrets.ts';
import type { Store } from './store/store.ts';
import { createUnits, freshPlatform, type PlatformState, type Units } from './store/unit.ts';
import { defaultPlatform, defaultToken, defaultWorld } from './worlds/readyMade.ts';
import type { World } from './worlds/shape.ts';
import { fillPlatform, type PlatformStart } from './worlds/world.ts';

export interface SandboxParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly chance: ChanceSource;
  readonly log: Log;
  /** Where the platforms' clocks stand at their first moment, in milliseconds; they run with the machine's when absent. */
  readonly frozenAt?: number;
  /** How the default platform checks proofs; as it was, or `magic` at first, when absent. */
  readonly proofs?: Proofs['kind'];
  /** What the default platform begins with; the ready-made world when absent. */
  readonly world?: World;
  /** Asked for where no platform's credentials are, once the server listens beyond this machine. */
  readonly controlToken?: string;
  /** Whether the last exchanges are kept in memory, to be read through the control surface; they are when absent. */
  readonly journal?: boolean;
  /** Other than the generated one, where a test plants faults. */
  readonly contract?: Contract;
  /** Other than the sandbox's own, where a test plants a handler that breaks the contract. */
  readonly handlers?: Handlers;
}

/**
 * The sandbox as a web-standard app: `(await createSandbox(parts)).fetch(request)` answers a request in process, and a
 * server can put the same app on a port. On a new store it makes the default platform with its ready-made world.
 * @throws StorageUnavailable when the store can't be used, Problem when the world is not one.
 */
export async function createSandbox(parts: SandboxParts): Promise<Hono> {
  const { store, clock, chance, log } = parts;
  const cursors = createCursors(await keptSecret(store, 'cursors', chance.scope('secrets/cursors')));
  const derive = createDerive(await keptSecret(store, 'derive', chance.scope('secrets/derive')));
  const units = createUnits({ store, clock, chance, cursors, derive, proofs: createProofs(derive) });
  const clockState = parts.frozenAt === undefined ? {} : { clock: { offsetMs: 0, frozenAt: parts.frozenAt } };
  const firstState = { ...freshPlatform, ...clockState };
  const contract = parts.contract ?? loadContract();
  if (parts.world !== undefined) checkWorld(parts.world, contract);
  await openDefaultPlatform(units, firstState, parts.world ?? defaultWorld, parts.proofs);
  const journal = parts.journal === false ? noJournal : createJournal({ clock, clockOf: units.clockOf });
  const handlers = parts.handlers ?? allHandlers;
  const serve = createPipeline({ contract, handlers, effects, store, units, journal, log });
  const control = { store, units, clock, chance, derive, contract, firstState, journal };
  const operator = parts.controlToken === undefined ? {} : { controlToken: parts.controlToken };
  const mount = (app: Hono): void => {
    mountControl(app, { ...control, ...operator });
    mountReference(app, parts.controlToken === undefined ? { credentials: defaultPlatform } : {});
  };
  return createShell({ serve, log, mount });
}

/**
 * Makes the default platform on a new store. On an old one it goes on as it was, but for the proofs where they are asked
 * for; a reset then takes it to the first moment that this process gives it.
 */
async function openDefaultPlatform(
  units: Units,
  state: PlatformState,
  world: World,
  proofs: Proofs['kind'] | undefined,
): Promise<void> {
  const start = (kind: Proofs['kind']): PlatformStart => ({
    state: { ...state, proofs: kind },
    token: defaultToken,
    world,
  });
  if (await units.create(defaultPlatform.id, start(proofs ?? 'magic'), fillPlatform)) return;
  await units.refound<PlatformStart>(defaultPlatform.id, (kept) => start(proofs ?? kept.state?.proofs ?? 'magic'));
  if (proofs === undefined) return;
  await units.run(defaultPlatform.id, async (unit) => unit.setState({ ...unit.state, proofs }));
}
