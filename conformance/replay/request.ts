/** Turns a recorded request into a new one, with learnt ids and with new codes and signatures. */
import { splitAtVersion } from '../../contract/match.ts';
import { pointTo } from '../../contract/pointer.ts';
import { requestHeaders } from '../../generated/operations.ts';
import { headerValue } from '../../traffic/exchange.ts';
import { namesIn, typeOfId } from './learnt.ts';
import { proveBody, proveSignature } from './proofs.ts';
import type { Asked, Scene } from './scene.ts';
import { isTime } from './times.ts';

/** A request that can be sent. */
export interface Made {
  readonly request: Request;
  /** Names that no reply has contained yet, each with its place. They are sent as recorded. */
  readonly unknown: readonly (readonly [name: string, place: string])[];
}

/** @returns the request, or why it can't be made, as the end of a sentence that starts with "entry 3" */
export async function makeRequest(asked: Asked, scene: Scene): Promise<Made | string> {
  const { exchange, operation, beside } = asked;
  const { method, headers: recorded, body } = exchange.request;
  if (body.kind === 'unrecorded') return 'has a request body that the recording does not have. Record with bodies';
  if (body.kind === 'unreadable') return `has a request body that can't be sent again: it ${body.why}`;
  const unknown: (readonly [string, string])[] = [];
  const place = (text: string, where: string): string => {
    const name = namesIn(text).size > 0 || where === 'query cursor';
    const found = scene.learnt.find(text, beside);
    if (name && found === undefined && (typeOfId(text) !== undefined || where === 'query cursor' || where === 'path'))
      unknown.push([text, where]);
    return isTime(text) ? (found ?? scene.times.move(text)) : scene.learnt.inPlace(text, beside);
  };
  const headers = new Headers();
  const type = headerValue(recorded, 'content-type');
  if (type !== undefined && body.text !== '') headers.set('Content-Type', type);
  for (const name of ['Prefer', ...requestHeaders]) {
    const value = headerValue(recorded, name);
    if (value !== undefined) headers.set(name, place(value, name));
  }
  const caller = scene.callers.choose({
    operation,
    recorded: headerValue(recorded, 'authorization'),
    status: exchange.response.status,
    body: asked.got,
    beside,
    isProofRefused: carriesProof(asked),
  });
  if (caller === undefined) return "is sent with an agent's token, which no earlier reply of the recording has given";
  if (caller !== null) headers.set('Authorization', caller);
  const url = makeAddress(asked, scene.base, place);
  const placed = asked.sent === undefined ? undefined : placeAll(asked.sent, (text) => place(text, 'body'));
  const proved = await proveBody(placed, asked, scene);
  if (typeof proved === 'string') return proved;
  const why = await proveSignature(headers, asked, scene);
  if (why !== undefined) return why;
  const text = proved.body === undefined ? body.text : JSON.stringify(proved.body);
  const init = { method, headers, ...(text === '' || /^(?:GET|HEAD)$/.test(method) ? {} : { body: text }) };
  return { request: new Request(url, init), unknown };
}

/** Whether the request has a code or a signature. A 401 may be about it. */
function carriesProof({ exchange, sent }: Asked): boolean {
  if (headerValue(exchange.request.headers, 'Service-Wallet-Signature') !== undefined) return true;
  return ['/otp', '/assertion', '/oidcToken'].some((pointer) => pointTo(sent, pointer) !== undefined);
}

/** The address. Path and query are those of the operation. If there is none, they are as they were sent. */
function makeAddress({ exchange, match }: Asked, base: string, place: (text: string, where: string) => string): string {
  const { pathname, searchParams } = new URL(exchange.request.url);
  const query = new URLSearchParams([...searchParams].map(([name, value]) => [name, place(value, `query ${name}`)]));
  const search = query.size === 0 ? '' : `?${query}`;
  if (match.kind !== 'operation') {
    const sent = match.kind === 'unknown-method' ? splitAtVersion(pathname)?.path : match.path;
    return base + (sent ?? match.path) + search;
  }
  const path = match.operation.path.replaceAll(/\{(\w+)\}/g, (_braces, name: string) =>
    encodeURIComponent(place(match.path[name] ?? '', 'path')),
  );
  return base + path + search;
}

/** Replaces what was learnt in each text of a value. */
function placeAll(value: unknown, place: (text: string) => string): unknown {
  if (typeof value === 'string') return place(value);
  if (Array.isArray(value)) return value.map((item) => placeAll(item, place));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, placeAll(item, place)]));
}
