/** A client of MCP, as an AI agent has one: the SDK's own, over either transport and of either revision. */
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { expect, onTestFinished } from 'vitest';
import { origin, type TestSandbox } from '../sandbox/harness.ts';

/** The revision that the client speaks: that of 2025 with sessions, or that of 2026 without. */
export type Era = '2025' | '2026';
export const eras: readonly Era[] = ['2025', '2026'];

/** The answer of a tool. */
export interface Result {
  readonly isError: boolean;
  /** All its text. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an output is looked into by the test that asked for it
  readonly output: any;
  /** The address of the whole reply. */
  readonly link: string | undefined;
}

export interface TestClient {
  readonly client: Client;
  /** Calls a tool. The SDK holds what comes back against the tool's output schema. */
  call(name: string, args?: Record<string, unknown>): Promise<Result>;
  /** The JSON of a resource. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  read(uri: string): Promise<any>;
}

export interface ClientOptions {
  readonly era?: Era;
  /** What the user at the client answers, told the question; without it the client can't ask. */
  readonly answer?: ((message: string) => object) | undefined;
}

/** Connects a client over a transport; it is closed when the test ends. */
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
  // Then the client knows the output schemas.
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

/** Connects one to `/mcp` of a sandbox in process. */
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
