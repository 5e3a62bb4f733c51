/** An MCP client like an AI agent's: the SDK's own, over either transport and in either protocol revision. */
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { expect, onTestFinished } from 'vitest';
import { origin, type TestSandbox } from '../sandbox/harness.ts';

/** The protocol revision of the client: 2025 with sessions, or 2026 without. */
export type Era = '2025' | '2026';
export const eras: readonly Era[] = ['2025', '2026'];

/** The result of a tool call. */
export interface Result {
  readonly isError: boolean;
  /** Its text blocks, joined. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of an output
  readonly output: any;
  /** The address of the whole reply. */
  readonly link: string | undefined;
}

export interface TestClient {
  readonly client: Client;
  /** Calls a tool. The SDK validates the result against the tool's output schema. */
  call(name: string, args?: Record<string, unknown>): Promise<Result>;
  /** Reads a resource as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  read(uri: string): Promise<any>;
}

export interface ClientOptions {
  readonly era?: Era;
  /** Answers the question that the server asks the user. Without it, the client can't ask the user. */
  readonly answer?: ((message: string) => object) | undefined;
}

/** Connects a client over a transport. It is closed when the test ends. */
export async function connectClient(
  transport: Transport,
  { era = '2026', answer }: ClientOptions = {},
): Promise<TestClient> {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: era === '2025' ? 'legacy' : { pin: '2026-07-28' } },
    },
  );
  if (answer !== undefined) {
    client.setRequestHandler(
      'elicitation/create',
      async ({ params }) => answer(params.message) as { action: 'accept' },
    );
  }
  onTestFinished(() => client.close());
  await client.connect(transport);
  // The client learns the output schemas from this call.
  await client.listTools();
  return {
    client,
    async call(name, args = {}) {
      const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: args });
      const text = content.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('\n');
      const link = content.find((one) => one.type === 'resource_link');
      return { isError, text, output: structuredContent, link: link?.type === 'resource_link' ? link.uri : undefined };
    },
    async read(uri) {
      const { contents } = await client.readResource({ uri });
      const [first] = contents;
      expect(contents).toHaveLength(1);
      return JSON.parse(first !== undefined && 'text' in first ? first.text : '');
    },
  };
}

/** Connects a client to `/mcp` of a sandbox in this process. */
export function connectTo(
  sandbox: Pick<TestSandbox, 'fetch'>,
  accessToken: string,
  { query = '', ...options }: ClientOptions & { readonly query?: string } = {},
): Promise<TestClient> {
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp${query}`), {
    fetch: (url, init) => sandbox.fetch(new Request(url, init)),
    requestInit: { headers: { Authorization: `Bearer ${accessToken}` } },
  });
  return connectClient(transport, options);
}
