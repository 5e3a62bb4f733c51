import type { Contract } from '../../contract/contract.ts';
import type { Handlers } from './domains/operation.ts';
import type { McpRouteParts } from './mcp/parts.ts';
import type { ProcessUsage } from './node/machine/usage.ts';
import { createPipeline } from './pipeline/pipeline.ts';
import { createReplyCache } from './pipeline/replyCache.ts';
import { createProofs } from './proofs/factory.ts';
import type { KeySetFetch } from './proofs/oidc.ts';
import type { Proofs } from './proofs/proofs.ts';
import { effects } from './registry/effects.ts';
import { handlers as allHandlers } from './registry/handlers.ts';
import { authenticateAgent, createAuthenticate, createAuthenticateToken } from './steps/authenticate.ts';
import type { Wait } from './steps/plantFault.ts';
import type { Store } from './store/store.ts';
import { freshPlatform, type PlatformState } from './store/units/platformState.ts';
import { keptSecret } from './store/units/secrets.ts';
import type { Fill, Units } from './store/units/unit.ts';
import { createUnits } from './store/units/units.ts';
import { createEvents } from './telemetry/events.ts';
import { createJournal, noJournal } from './telemetry/journal.ts';
import type { Log } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { createObserver } from './telemetry/observe.ts';
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

/** What a sandbox is made of, wherever it runs. What is listed as absent has a default that needs nothing of the runtime. */
export interface CoreParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly chance: ChanceSource;
  readonly log: Log;
  /** Where the platforms' clocks stand at their first moment, in milliseconds; they run with the machine's when absent. */
  readonly frozenAt?: number;
  /** How the default platform checks proofs; as it was, or `magic` at first, when absent. */
  readonly proofs?: Proofs['kind'];
  /** What the default platform begins with; the ready-made world when absent. */
  readonly world?: World | SnapshotDocument | WorldName;
  /** Asked for where no platform's credentials are, once the server listens beyond this machine. */
  readonly controlToken?: string;
  /** Origins whose web pages may call, beside those of this machine. */
  readonly allowOrigins?: readonly string[];
  /** Whether the last exchanges are kept in memory, to be read through the control surface; they are when absent. */
  readonly journal?: boolean;
  /** How long requests take; by the machine's clock when absent. */
  readonly stopwatch?: Stopwatch;
  /** The resources that the process has used. */
  readonly usage: () => ProcessUsage;
  /** How a planted delay is waited for; by the machine's clock when absent. */
  readonly wait?: Wait;
  readonly contract: Contract;
  /** The contract of the control surface; asked for when something needs it. */
  readonly controlContract: () => Contract;
  /** Fetches the key sets of issuers. */
  readonly fetchKeySet: KeySetFetch;
  /** Adds what is served beside the routes; asked for with the first request for an address that isn't an operation. */
  readonly mountPages?: (table: RouteTable, access: PageAccess) => Promise<void>;
  /** Adds `/mcp`, asked for likewise. */
  readonly mountMcp?: (table: RouteTable, access: Omit<McpRouteParts, 'document'>) => Promise<void>;
  /** Other than the sandbox's own, where a test plants a handler that breaks the contract. */
  readonly handlers?: Handlers;
}

/** What the pages of a sandbox suggest to try with. */
export interface PageAccess {
  /** The default platform's; undefined where the server lets others in. */
  readonly credentials: Pick<typeof defaultPlatform, 'clientId' | 'clientSecret'> | undefined;
  /** The platform of the reference: its own, or the default one where that has the world of the examples. */
  readonly reference: () => Promise<ReferenceAccess & { readonly canStartOver: boolean }>;
}

/**
 * The sandbox as an app, whatever it runs on. On a new store it makes the default platform with its ready-made world.
 * @throws StorageUnavailable when the store can't be used, Problem when the world is not one.
 */
export async function createCore(parts: CoreParts): Promise<WebApp> {
  const { store, clock, chance, log, contract } = parts;
  const cursors = createCursors(await keptSecret(store, 'cursors', chance.scope('secrets/cursors')));
  const derive = createDerive(await keptSecret(store, 'derive', chance.scope('secrets/derive')));
  const proofs = createProofs(derive, parts.fetchKeySet);
  const events = createEvents();
  const units = createUnits({ store, clock, chance, cursors, derive, proofs, tell: events.tell });
  const clockState = parts.frozenAt === undefined ? {} : { clock: { offsetMs: 0, frozenAt: parts.frozenAt } };
  const firstState = { ...freshPlatform, ...clockState };
  const given = parts.world === undefined ? undefined : await prepareWorld(parts.world, parts);
  const { world, fill } = given ?? { world: defaultWorld, fill: fillPlatform(contract) };
  await openDefaultPlatform(units, firstState, world, fill, parts.proofs);
  const journal = parts.journal === false ? noJournal : createJournal({ clock, clockOf: units.clockOf, events });
  const handlers = parts.handlers ?? allHandlers;
  const wait = parts.wait ?? systemWait;
  const authenticateToken = createAuthenticateToken(store);
  const authenticate = createAuthenticate(store, authenticateToken);
  const replies = createReplyCache({ units, clock, contract, handlers });
  const serve = createPipeline({ contract, handlers, effects, authenticate, units, journal, replies, wait, log });
  const metrics = createMetrics();
  const observer = createObserver({
    log,
    chance: chance.scope('requests'),
    stopwatch: parts.stopwatch ?? systemStopwatch,
    counts: metrics,
  });
  const control = {
    authenticateToken,
    store,
    metrics,
    replies,
    usage: parts.usage,
    units,
    clock,
    chance,
    derive,
    contract,
    firstState,
    journal,
    events,
  };
  const operator = parts.controlToken === undefined ? {} : { controlToken: parts.controlToken };
  const endings: (() => void)[] = [events.endAll];
  // Loaded when somebody asks for them, as the first request rarely does.
  const mount = async (table: RouteTable): Promise<void> => {
    const { mountControl } = await import('./control/control.ts');
    mountControl(table, { ...control, controlContract: parts.controlContract(), ...operator });
    await parts.mountMcp?.(table, {
      authenticate: (headers) => authenticateAgent(headers, store),
      answer: (request) => front.answer(request),
      events,
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
  const front = createFront({ serve, log, observer, mount, endStreams, allowOrigins: parts.allowOrigins });
  return front;
}

/**
 * Makes the default platform on a new store. On an old one it goes on as it was, but for the proofs where they are asked
 * for; a reset then takes it to the first moment that this process gives it.
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

/** What looks at it is loaded where there is one to look at. @throws Problem 400. */
async function prepareWorld(given: World | SnapshotDocument | WorldName, parts: CoreParts) {
  const { contract, clock } = parts;
  const { checkWorld, fillChecked, parseWorld } = await import('./control/world.ts');
  const read = parseWorld(given);
  if (read === 'ready-made') return { world: defaultWorld, fill: fillPlatform(contract) };
  if (read === 'examples') return { world: read, fill: fillPlatform(contract) };
  const controlContract = parts.controlContract();
  return { world: checkWorld(read, { contract, controlContract, clock }), fill: fillChecked(contract) };
}
