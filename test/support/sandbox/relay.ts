/** A TCP proxy before PostgreSQL that loses what a test tells it to lose. */
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Relay {
  /** The address of the same database through the relay. */
  readonly url: string;
  /** From now on, cuts a connection in place of passing on the server's answer to a commit. */
  loseCommits(): void;
  /** Passes everything on again. */
  mend(): void;
  /** From now on, accepts everything and passes nothing on, as if the cable were cut. */
  fallSilent(): void;
}

/** The end of the server's answer to COMMIT (PostgreSQL, 53.7: CommandComplete). */
const committed = Buffer.from('COMMIT\0');

/** Starts a relay before a database. It ends with the test. */
export async function startRelay(database: string): Promise<Relay> {
  const target = new URL(database);
  let state: 'passing' | 'losing' | 'silent' = 'passing';
  const become = (next: typeof state): void => {
    state = next;
  };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', cut).on('close', cut);
    }
    client.on('data', (bytes) => {
      if (state !== 'silent') upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (state === 'losing' && bytes.includes(committed)) cut();
      else if (state !== 'silent') client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(database);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    loseCommits: () => become('losing'),
    mend: () => become('passing'),
    fallSilent: () => become('silent'),
  };
}
