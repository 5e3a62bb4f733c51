/** The flags that several servers share. */
import { defineFlags } from './command/command.ts';

/** The highest port number. 0 asks for any free port. */
const highestPort = 65_535;

export const port = { type: 'string', value: 'N', upTo: highestPort } as const;

/** The host names and web pages that a server accepts besides those of this machine. */
export const admissionFlags = defineFlags({
  'allow-host': {
    type: 'string',
    value: 'NAME',
    multiple: true,
    does: 'accept this host name too, such as 10.0.2.2 or host.docker.internal (repeatable)',
  },
  'allow-origin': {
    type: 'string',
    value: 'ORIGIN',
    multiple: true,
    does: 'accept web pages of this origin too, such as https://app.example (repeatable)',
  },
});

export const detachFlag = {
  type: 'boolean',
  does: 'start in the background, and return once it is ready; it prints how to stop it',
} as const;

/** The flags of sandbox and mock. Environment variables set their defaults. */
export const serverFlags = defineFlags({
  port: { ...port, default: 4010, env: 'PORT', does: 'port to listen on, 0 for any free one (default 4010)' },
  host: {
    type: 'string',
    value: 'NAME',
    default: 'localhost',
    env: 'HOST',
    does: 'address to listen on (default localhost: this machine only)',
  },
  'allow-host': { ...admissionFlags['allow-host'], env: 'ALLOW_HOST' },
  'allow-origin': { ...admissionFlags['allow-origin'], env: 'ALLOW_ORIGIN' },
  log: {
    type: 'string',
    value: 'FORMAT',
    choices: ['pretty', 'json', 'off'],
    default: 'pretty',
    env: 'LOG',
    does: 'a line per request: pretty (default), json for a collector, or off',
  },
  format: {
    type: 'string',
    value: 'KIND',
    choices: ['text', 'json'],
    default: 'text',
    does: 'what it prints once it is ready: text (default), or json: one line with url, base, version, credentials, pid, and log with --detach',
  },
  detach: detachFlag,
});
