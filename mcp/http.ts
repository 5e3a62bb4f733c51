/**
 * MCP over HTTP (Streamable HTTP), for any number of agents. Only the token gives access to what belongs to an agent,
 * so a session id alone gives none.
 */
import { isInitializeRequest, isLegacyRequest, type RequestId } from '@modelcontextprotocol/server';
import { cancelledBy, idsOf, type Session } from './legacySession.ts';
import { idleMs, Place, type SharedSession } from './place.ts';
import type { AskAbove } from './session.ts';
import { passOn } from './streams.ts';
import { listenedTo, type Pulse, TooManyWatched } from './watch.ts';

/** Who sent a request, and when its user is asked. */
export interface Caller {
  readonly accessToken: string;
  /** The platform of the agent. What its agents have open is its share. */
  readonly platformId: string;
  readonly askAbove: AskAbove;
}

/** Counts who has how many of a thing open. */
export interface Counted {
  /** Whose limit one more would exceed; undefined if there is room. */
  full(platformId: string, token: string): string | undefined;
  /** @returns gives it back */
  take(platformId: string, token: string): () => void;
}

export interface EndpointParts<C extends Caller> {
  /** Makes what all sessions of an agent share, whose token was accepted. */
  readonly open: (caller: C) => SharedSession;
  /** Signals when something of the agent may have changed. */
  readonly pulse: (caller: C) => Pulse;
  /** Whether the token is still valid. */
  readonly mayStay: (caller: C) => Promise<boolean>;
  /** The streams on which clients hear of changes. */
  readonly streams: Counted;
  /** The calls that have no answer yet. */
  readonly calls: Counted;
  /** By the machine's clock, in milliseconds. */
  readonly now: () => number;
  readonly bounds?: EndpointBounds;
}

export interface Endpoint<C extends Caller> {
  /**
   * Handles an agent's request. The caller has checked the token.
   * @param parsed its JSON body, undefined if it has none or one that isn't JSON
   */
  answer(request: Request, caller: C, parsed: unknown): Promise<Response>;
  /** Ends all sessions and streams. */
  close(): void;
}

export interface EndpointBounds {
  /** How many agents are kept. */
  readonly agents: { readonly process: number; readonly platform: number };
  /** How many sessions of each are kept. */
  readonly sessions: number;
}

export const endpointBounds: EndpointBounds = { agents: { process: 1000, platform: 100 }, sessions: 20 };

/** A call ends if its client hears only signs of life for this long. */
const patienceMs = idleMs;

export function createEndpoint<C extends Caller>(parts: EndpointParts<C>): Endpoint<C> {
  const { open, pulse, mayStay, streams, calls, now, bounds = endpointBounds } = parts;
  /** By platform, then by token. The last one of a platform is the most recently used. */
  const platforms = new Map<string, Map<string, Place>>();
  let count = 0;

  const drop = (platformId: string, token: string, place: Place): void => {
    const own = platforms.get(platformId);
    if (own?.get(token) !== place) return;
    own.delete(token);
    if (own.size === 0) platforms.delete(platformId);
    count -= 1;
    place.close();
  };
  /** Gives back what idle agents keep. */
  const dropIdle = (): void => {
    for (const [platformId, own] of [...platforms]) {
      for (const [token, place] of [...own]) if (place.isIdle()) drop(platformId, token, place);
    }
  };
  /** The place of an agent. Undefined if there is no room for it. */
  const placeOf = (caller: C): Place | undefined => {
    const { platformId, accessToken } = caller;
    const own = platforms.get(platformId) ?? new Map<string, Place>();
    const known = own.get(accessToken);
    if (known === undefined) {
      if (own.size >= bounds.agents.platform) {
        const [token, oldest] = [...own].find(([, place]) => !place.isBusy()) ?? [];
        if (token === undefined || oldest === undefined) return undefined;
        drop(platformId, token, oldest);
      }
      if (count >= bounds.agents.process) dropIdle();
      if (count >= bounds.agents.process) return undefined;
      count += 1;
    }
    const place: Place =
      known ??
      new Place({
        agent: open(caller),
        pulse: pulse(caller),
        now,
        sessions: bounds.sessions,
        onGone: () => drop(platformId, accessToken, place),
      });
    place.use();
    own.delete(accessToken);
    own.set(accessToken, place);
    platforms.set(platformId, own);
    return place;
  };

  /** Answers with what `work` returns, and counts it until its stream has ended. */
  const counted = async (
    { platformId, accessToken }: C,
    place: Place,
    { counts, number = 1, onEnd, stays }: Counting,
    work: () => Promise<Response>,
  ): Promise<Response> => {
    const taken: (() => void)[] = [];
    const give = (): void => {
      for (const back of taken.splice(0)) back();
      onEnd?.();
    };
    while (taken.length < number) {
      const full = counts.full(platformId, accessToken);
      if (full !== undefined) {
        give();
        return tooMany(`This ${full} has too many MCP streams or calls open. End one, or try later.`);
      }
      taken.push(counts.take(platformId, accessToken));
    }
    let end = (): void => {};
    const leave = place.begin(() => end());
    const finish = (): void => {
      give();
      leave();
    };
    try {
      const passed = passOn(await work(), { mayStay: stays, onEnd: finish, now });
      end = passed.end;
      return passed.response;
    } catch (error) {
      finish();
      throw error;
    }
  };

  /** A stream for changes stays as long as its token. */
  const whileValid = (caller: C, place: Place) => async (): Promise<boolean> => {
    const isValid = await mayStay(caller);
    if (!isValid) drop(caller.platformId, caller.accessToken, place);
    return isValid;
  };

  const answerModern = async (request: Request, caller: C, place: Place, parsed: unknown): Promise<Response> => {
    const work = () => place.answer(request, caller.askAbove, parsed);
    const uris = listenedTo(parsed);
    if (uris === undefined) {
      const stays = async (quietMs: number): Promise<boolean> => quietMs < patienceMs;
      return counted(caller, place, { counts: calls, number: idsOf(parsed).length, stays }, work);
    }
    try {
      const onEnd = await place.watch.hold(uris);
      return await counted(caller, place, { counts: streams, onEnd, stays: whileValid(caller, place) }, work);
    } catch (error) {
      if (error instanceof TooManyWatched) return refuse(400, -32602, error.message, idsOf(parsed)[0]);
      throw error;
    }
  };

  const answerLegacy = async (request: Request, caller: C, place: Place, parsed: unknown): Promise<Response> => {
    const id = request.headers.get('mcp-session-id');
    let session: Session | undefined;
    if (id === null) {
      const isFirst = [parsed].flat().some((message) => isInitializeRequest(message));
      if (!isFirst && parsed !== undefined)
        return refuse(400, -32000, 'Initialize first, and send the Mcp-Session-Id that you get.');
      session = await place.open(caller.askAbove);
    } else {
      session = place.find(id);
      if (session === undefined) return refuse(404, -32001, 'This token has no such session. Initialize again.');
    }
    return handle(request, { caller, place, session }, parsed);
  };

  const handle = async (request: Request, { caller, place, session }: Asked<C>, parsed: unknown): Promise<Response> => {
    if (request.method === 'GET') return listen(request, { caller, place, session });
    const ids = idsOf(parsed);
    const begun = session.begin(ids);
    if ('taken' in begun) {
      return refuse(400, -32600, 'Another call of this session has this id, and is still open.', begun.taken);
    }
    const stays = async (quietMs: number): Promise<boolean> => {
      if (quietMs < patienceMs) return true;
      // The refusal ends the stream.
      for (const one of ids) session.refuse(one, 'There was no answer within five minutes.');
      return true;
    };
    const counting = { counts: calls, number: ids.length, onEnd: begun.end, stays };
    const response = await counted(caller, place, counting, () => session.handle(request, parsed));
    for (const one of cancelledBy(parsed)) session.refuse(one, 'The client has cancelled this call.');
    return response;
  };

  /** The stream of notifications. A session has one. */
  const listen = async (request: Request, { caller, place, session }: Asked<C>): Promise<Response> => {
    let onEnd = (): void => {};
    return counted(
      caller,
      place,
      { counts: streams, onEnd: () => onEnd(), stays: whileValid(caller, place) },
      async () => {
        const response = await session.handle(request, undefined);
        if (response.status === 200) onEnd = session.listening();
        return response;
      },
    );
  };

  return {
    async answer(request, caller, parsed) {
      const place = placeOf(caller);
      if (place === undefined) return tooMany('There is no room for another agent. Try later.');
      const isLegacy = request.method !== 'POST' || (await isLegacyRequest(request, parsed));
      return isLegacy ? answerLegacy(request, caller, place, parsed) : answerModern(request, caller, place, parsed);
    },
    close() {
      for (const [platformId, own] of [...platforms]) {
        for (const [token, place] of [...own]) drop(platformId, token, place);
      }
    },
  };
}

interface Counting {
  readonly counts: Counted;
  /** How many it takes; one if absent. */
  readonly number?: number;
  readonly onEnd?: (() => void) | undefined;
  /** Whether the stream may stay after this time without a message. */
  readonly stays: (quietMs: number) => Promise<boolean>;
}

interface Asked<C> {
  readonly caller: C;
  readonly place: Place;
  readonly session: Session;
}

function refuse(status: number, code: number, message: string, id: RequestId | null = null): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status });
}

function tooMany(message: string): Response {
  const error = { code: -32000, message };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 429, headers: { 'Retry-After': '5' } });
}
