/** `countersign mcp`: offers an agent's operations as tools to an AI agent. */
import { basePath } from '../contract/match.ts';
import { defineCommand, defineFlags, withLifecycle } from './command/command.ts';

export const mcpFlags = defineFlags({
  url: {
    type: 'string',
    value: 'BASE',
    default: 'http://localhost:4010',
    env: 'COUNTERSIGN_URL',
    does: `address of the interface (default http://localhost:4010; ${basePath} is added if it has no path; COUNTERSIGN_URL)`,
  },
  'device-code': {
    type: 'string',
    value: 'CODE',
    env: 'COUNTERSIGN_DEVICE_CODE',
    does: 'device code of the agent; it is redeemed once, and the token is kept in your config folder (COUNTERSIGN_DEVICE_CODE)',
  },
  token: {
    type: 'string',
    value: 'TOKEN',
    env: 'COUNTERSIGN_AGENT_TOKEN',
    does: "access token of the agent instead; it isn't kept (COUNTERSIGN_AGENT_TOKEN)",
  },
  ephemeral: { type: 'boolean', does: 'keeps the token of a device code in memory only' },
  'ask-above': {
    type: 'string',
    value: 'AMOUNT',
    does: "asks the user at the client before a payment above it, in the smallest unit of the limits' currency, or never (default: the policy's approval threshold)",
  },
  platform: {
    type: 'boolean',
    does: 'adds tools for a tester of the sandbox: clock, faults, codes, approve and reject',
  },
  credentials: {
    type: 'string',
    value: 'ID:SECRET',
    env: 'COUNTERSIGN_CREDENTIALS',
    default: 'sandbox:sandbox',
    does: "the platform's API token for --platform (default sandbox:sandbox; COUNTERSIGN_CREDENTIALS)",
  },
});

export const command = defineCommand({
  name: 'mcp',
  call: 'npx countersign mcp',
  script: 'mcp',
  does: "offer an agent's operations as tools to an AI agent (MCP, over stdio)",
  about: `
An MCP client starts it and uses its stdin and stdout. The agent pays within the limits of its policy. A payment that
needs approval waits for a person at the platform. A running sandbox offers the same at /mcp.`,
  flags: mcpFlags,
  examples: [
    ['--device-code agent-xxxx-xxxx', 'an agent of the sandbox on this machine'],
    ['--url https://api.example.com/v1', 'the agent of another address, with its kept token'],
    ['--device-code agent-xxxx-xxxx --platform', 'with tools for the tester of the sandbox'],
  ],
  ends: `The end of its input, Ctrl-C or SIGTERM ends it with 0, after the requests in flight. It ends with 2 if it can't start:
flags, address, device code.`,
  run: async (given) => (await import('./run/mcp.ts')).runMcp(given.flags, withLifecycle(given)),
});
