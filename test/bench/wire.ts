/** Sends an exchange once, and records what a server answers: the bytes that the yardstick repeats. */
import { request as httpRequest } from 'node:http';
import type { Step } from './requests.ts';

export interface RecordedReply {
  readonly status: number;
  /** Names and values in turn, in their original spelling, without those that `node:http` adds automatically. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export interface RecordedStep {
  readonly step: Step;
  readonly reply: RecordedReply;
}

const addedByNode = new Set(['date', 'connection', 'keep-alive']);
/** For a server whose replies have no usable one: an id in the contract's form. */
const noRequestId = 'Request:00000000-0000-7000-8000-000000000000';

/** The headers of a step. A retry takes its `requestId` from the previous answer. */
export function headersOf(step: Step, answerBefore = '{}'): Record<string, string> {
  if (step.isRetry !== true) return { ...step.headers };
  const { requestId = noRequestId } = JSON.parse(answerBefore) as { requestId?: string };
  return { ...step.headers, 'request-id': requestId };
}

/** Sends the steps of an exchange in turn and returns the replies. */
export async function record(origin: string, steps: readonly Step[]): Promise<RecordedStep[]> {
  const recorded: RecordedStep[] = [];
  for (const step of steps) {
    const headers = headersOf(step, recorded.at(-1)?.reply.body);
    recorded.push({ step, reply: await send(origin, step, headers) });
  }
  return recorded;
}

function send(origin: string, { method, path, body }: Step, headers: Record<string, string>): Promise<RecordedReply> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(origin + path, { method, headers, agent: false }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.once('error', reject);
      reply.once('end', () => {
        const rawHeaders: string[] = [];
        for (let index = 0; index + 1 < reply.rawHeaders.length; index += 2) {
          const [name = '', value = ''] = reply.rawHeaders.slice(index, index + 2);
          if (!addedByNode.has(name.toLowerCase())) rawHeaders.push(name, value);
        }
        resolve({ status: reply.statusCode ?? 0, rawHeaders, body: Buffer.concat(chunks).toString() });
      });
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
