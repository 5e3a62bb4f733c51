import type { Contract } from '../../contract/contract.ts';
import type { Handlers } from './domains/operation.ts';
import type { McpRouteParts } from './mcp/parts.ts';
import type { ProcessUsage } from './node/machine/usage.ts';
import { createPipeline } from './pipeline/pipeline.ts';
import { createReplyCache } from './pipeline/replyCache.ts';
import { createNoteStray } from './pipeline/strays.ts';
import { createProofs } from './proofs/factory.ts';
import type { KeySetFetch } from './proofs/oidc.ts';
import type { Proofs } from './proofs/proofs.ts';
import { effects } from './registry/effects.ts';
import { handlers as allHandlers } from './registry/handlers.ts';
import {
  authenticateAgent,
  createAuthenticate,
  createAuthenticateToken,
  createIdentify,
} from './steps/authenticate.ts';
import type { Wait } from './steps/plantFault.ts';
import { createSettling } from './steps/settleDue.ts';
import type { Store } from './store/store.ts';
import { freshPlatform, type PlatformState } from './store/units/platformState.ts';
import { keptSecret } from './store/units/secrets.ts';
import type { Fill, Units } from './store/units/unit.ts';
import { createUnits } from './store/units/units.ts';
import { createEvents } from './telemetry/events.ts';
import { createJournal, journalBounds, noJournal } from './telemetry/journal.ts';
import type { Log } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { createObserver } from './telemetry/observe.ts';
import { createRefusals } from './telemetry/refusals.ts';
import type { ChanceSource } from './tools/chance.ts';
import { type Clock, type Stopwatch, systemStopwatch, systemWait } from './tools/clock.ts';
import { createCursors } from './tools/cursor.ts';
import { createDerive } from './tools/derive.ts';
import { createFront, type WebApp } from './transport/front.ts';
import type { RouteTable } from './transport/routes.ts';
import type { PageAccess as ReferenceAccess } from './worlds/examples/page.ts';
import { defaultPlatform, defaultToken, defaultWorld } from './worlds/readyMade.ts';
import type { SnapshotDocument, World, WorldName } from './worlds/shape.ts';
import { isSnapshot } from './worlds/snapshot.ts';
import { fillPlatform, type PlatformStart } from './worlds/world.ts';

/** The parts of a sandbox on any runtime. The optional parts have defaults that need nothing of the runtime. */
export interface CoreParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly chance: ChanceSource;
  readonly log: Log;
  /** The initial time of the platforms' clocks, in milliseconds. If absent, they run with the machine's clock. */
  readonly frozenAt?: number;
  /** How the default platform checks proofs. If absent: unchanged on an old store, `magic` on a new one. */
  readonly proofs?: Proofs['kind'];
  /** The initial data of the default platform; the ready-made world if absent. */
  readonly world?: World | SnapshotDocument | WorldName;
  /** Required from requests without a platform's credentials, if the server listens beyond this machine. */
  readonly controlToken?: string;
  /** Origins whose web pages may call, besides those of this machine. */
  readonly allowOrigins?: readonly string[];
  /** Whether the latest exchanges are kept in memory for the control surface; true if absent. */
  readonly journal?: boolean;
  /** The memory for these exchanges, in bytes. */
  readonly journalBytes?: number;
  /** The memory for replies that are sent again, in bytes. */
  readonly replyBytes?: number;
  /** Measures how long requests take; by the machine's clock if absent. */
  readonly stopwatch?: Stopwatch;
  /** Measures slices of long work; by the machine's clock if absent. */
  readonly sliceStopwatch?: Stopwatch;
  /** The resources that the process has used. */
  readonly usage: () => ProcessUsage;
  /** Waits for a planted delay; by the machine's clock if absent. */
  readonly wait?: Wait;
  readonly contract: Contract;
  /** The contract of the control surface. It is read at its first use. */
  readonly controlContract: () => Contract;
  /** Fetches the key sets of issuers. */
  readonly fetchKeySet: KeySetFetch;
  /** Adds the pages beside the routes. Called at the first request for an address that isn't an operation. */
  readonly mountPages?: (table: RouteTable, access: PageAccess) => Promise<void>;
  /** Adds `/mcp`, at the same moment. */
  readonly mountMcp?: (table: RouteTable, access: Omit<McpRouteParts, 'document'>) => Promise<void>;
  /** Replaces the sandbox's own handlers, for tests with a handler that breaks the contract. */
  readonly handlers?: Handlers;
}

/** What the pages of a sandbox suggest for trying it. */
export interface PageAccess {
  /** The default platform's credentials; undefined if the server lets other machines in. */
  readonly credentials: Pick<typeof defaultPlatform, 'clientId' | 'clientSecret'> | undefined;
  /**
   * The platform of the reference page: a separate one, or the default platform if that has the world of the examples.
   */
  readonly reference: () => Promise<ReferenceAccess & { readonly canStartOver: boolean }>;
}

/**
 * Creates the sandbox as an app, on any runtime. On a new store it creates the default platform with its ready-made
 * world.
 * @throws StorageUnavailable if the store can't be used, Problem if the world isn't valid.
 */
export async function createCore(parts: CoreParts): Promise<WebApp> {
  const { store, clock, chance, log, contract } = parts;
  const cursors = createCursors(await keptSecret(store, 'cursors', chance.scope('secrets/cursors')));
  const derive = createDerive(await keptSecret(store, 'derive', chance.scope('secrets/derive')));
  const proofs = createProofs(derive, parts.fetchKeySet);
  const events = createEvents();
  const { sliceStopwatch } = parts;
  const units = createUnits({
    store,
    clock,
    chance,
    cursors,
    derive,
    proofs,
    tell: events.tell,
    stopwatch: sliceStopwatch,
  });
  await units.finish();
  const clockState = parts.frozenAt === undefined ? {} : { clock: { offsetMs: 0, frozenAt: parts.frozenAt } };
  const firstState = { ...freshPlatform, ...clockState };
  const given = parts.world === undefined ? undefined : await prepareWorld(parts.world, parts);
  const { world, fill } = given ?? { world: defaultWorld, fill: fillPlatform(contract) };
  await openDefaultPlatform(units, firstState, world, fill, parts.proofs);
  const bounds = journalBounds(parts.journalBytes);
  const journal =
    parts.journal === false ? noJournal : createJournal({ clock, clockOf: units.clockOf, events, bounds });
  const handlers = parts.handlers ?? allHandlers;
  const wait = parts.wait ?? systemWait;
  const refusals = createRefusals(clock);
  const authenticateToken = createAuthenticateToken(store);
  const authenticate = createAuthenticate(store, authenticateToken);
  const replies = createReplyCache({ units, clock, contract, handlers, totalBytes: parts.replyBytes });
  const stopwatch = parts.stopwatch ?? systemStopwatch;
  const settling = createSettling({ units, effects, stopwatch });
  const { serve, watch } = createPipeline({
    contract,
    handlers,
    settling,
    authenticate,
    units,
    journal,
    refusals,
    replies,
    wait,
    log,
  });
  const metrics = createMetrics();
  const observer = createObserver({
    log,
    chance: chance.scope('requests'),
    stopwatch,
    counts: metrics,
  });
  const control = {
    authenticateToken,
    store,
    metrics,
    replies,
    usage: parts.usage,
    units,
    settling,
    clock,
    chance,
    derive,
    contract,
    firstState,
    journal,
    refusals,
    events,
  };
  const operator = parts.controlToken === undefined ? {} : { controlToken: parts.controlToken };
  const endings: (() => void)[] = [events.endAll, settling.end];
  // Loaded when they are needed, because the first request rarely needs them.
  const mount = async (table: RouteTable): Promise<void> => {
    const { mountControl } = await import('./control/control.ts');
    mountControl(table, { ...control, controlContract: parts.controlContract(), ...operator });
    await parts.mountMcp?.(table, {
      authenticate: (headers) => authenticateAgent(headers, store),
      answer: (request) => front.answer(request),
      events,
      stopwatch,
      onStop: (end) => void endings.push(end),
    });
    await parts.mountPages?.(table, {
      credentials: parts.controlToken === undefined ? defaultPlatform : undefined,
      reference: async () => {
        const page = await import('./worlds/examples/page.ts');
        const access =
          world === 'examples'
            ? await page.accessTo(units, contract, defaultPlatform)
            : await page.openReferencePlatform(units, contract, firstState);
        return { ...access, canStartOver: true };
      },
    });
  };
  const endStreams = (): void => {
    for (const end of endings) end();
  };
  const identify = createIdentify(store, authenticateToken);
  const noteStray = createNoteStray({ identify, journal, refusals });
  const front = createFront({
    serve,
    watch,
    noteStray,
    log,
    observer,
    mount,
    endStreams,
    allowOrigins: parts.allowOrigins,
  });
  return front;
}

/**
 * Creates the default platform on a new store. On an old store the platform continues unchanged, except for its proofs
 * if they are given. A later reset takes it to the initial state that this process defines.
 */
async function openDefaultPlatform(
  units: Units,
  state: PlatformState,
  world: PlatformStart['world'],
  fill: Fill<PlatformStart>,
  proofs: Proofs['kind'] | undefined,
): Promise<void> {
  const start = (kind: Proofs['kind']): PlatformStart => ({
    state: { ...state, proofs: kind },
    token: defaultToken,
    world,
  });
  const first = world !== 'examples' && isSnapshot(world) ? world.state.proofs : 'magic';
  if (await units.create(defaultPlatform.id, start(proofs ?? first), fill)) return;
  await units.changeInitial<PlatformStart>(defaultPlatform.id, (kept) =>
    start(proofs ?? kept.state?.proofs ?? 'magic'),
  );
  if (proofs === undefined) return;
  await units.run(defaultPlatform.id, async (unit) => unit.setState({ ...unit.state, proofs }));
}

/** Loads the code for checking a world only if there is one. @throws Problem 400 */
async function prepareWorld(given: World | SnapshotDocument | WorldName, parts: CoreParts) {
  const { contract, clock } = parts;
  const { checkWorld, fillChecked, parseWorld } = await import('./control/world.ts');
  const read = parseWorld(given);
  if (read === 'ready-made') return { world: defaultWorld, fill: fillPlatform(contract) };
  if (read === 'examples') return { world: read, fill: fillPlatform(contract) };
  const controlContract = parts.controlContract();
  return { world: checkWorld(read, { contract, controlContract, clock }), fill: fillChecked(contract) };
}
