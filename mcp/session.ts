/** What the connection of one agent needs, over any transport. */
import type { Agent } from '../generated/types.ts';
import type { Json } from './compact.ts';
import type { Service } from './service.ts';

/** The amount above which the client asks the user, in the smallest unit of the currency of the limits. */
export type AskAbove = number | 'never' | 'policy';

export interface AgentSession {
  readonly service: Service;
  readonly askAbove: AskAbove;
  /** Whether there are tools for a tester of the sandbox. */
  readonly hasPlatform: boolean;
  /** Removes secrets from what is shown: the agent's own token, and everything that looks like a token. */
  readonly redact: (text: string) => string;
  /** The contract's document. Tools look things up in it. */
  readonly document: () => Promise<Json>;
  /** What was already reported. All sessions of the agent share it. */
  readonly memory: Memory;
}

export interface Memory {
  wasToldOfPause: boolean;
}

export function newMemory(): Memory {
  return { wasToldOfPause: false };
}

/** The agent as it is now; undefined if it can't be read. */
export async function readAgent({ service }: Pick<AgentSession, 'service'>): Promise<Agent | undefined> {
  const answered = await service
    .ask({ surface: 'interface', method: 'GET', address: '/agents/me' })
    .catch(() => undefined);
  return answered?.status === 200 ? (answered.body as Agent) : undefined;
}
