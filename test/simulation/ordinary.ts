/** A platform that does ordinary work beside others, and knows what each of its answers must be. */
import { expect } from 'vitest';
import { basePath } from '../../contract/match.ts';
import type { ControlEvent } from '../../generated/controlTypes.ts';
import { basic, must, origin, sandboxOver, type TestSandbox } from '../support/sandbox/harness.ts';
import { openPlatform, type TestPlatform } from '../support/sandbox/platforms.ts';
import { bankAccount, execute, fromAccount, mustQuote, openPayer, toAccount } from '../support/scenes/payments.ts';
import { expectSound } from '../support/scenes/transfers.ts';

export interface Ordinary {
  /** A payment from a new customer to a bank, each answer compared with what it must be. */
  walk(): Promise<void>;
  /** Compares journal and events with everything that was sent, and checks the books. */
  finish(): Promise<void>;
}

const funds = 100_000;
const paid = 10_000;
/** The payment, and the one that funded it. */
const transactionsOfWalk = 2;
/** Longer than a quote takes from its execution to the bank. */
const delivery = 3600;

/** The number of entries that a platform's journal has at least. A walk has ten. */
const kept = 500;

/** @param sandbox on a port, so that connections can be lost */
export async function openOrdinary(sandbox: TestSandbox): Promise<Ordinary> {
  const sent: string[] = [];
  const platform = await openPlatform(
    sandboxOver((request) => {
      const line = lineOf({ request });
      if (line !== undefined) sent.push(line);
      return sandbox.fetch(request);
    }),
  );
  const heard = await listen(sandbox, platform);
  let walks = 0;

  return {
    async walk() {
      walks += 1;
      const payer = await openPayer(platform, { USD: funds });
      const accountId = payer.account('USD');
      const bank = await bankAccount(platform, '001', payer.id, String(100_000 + walks));
      const { id, transactionId } = await mustQuote(platform, fromAccount(accountId), toAccount(bank), {
        lockedCurrencyAmount: paid,
      });
      must(await execute(platform, id), 200);
      await platform.advance(delivery);
      const transaction = await platform.send('GET', `/transactions/${transactionId}`);
      expect([transaction.status, transaction.body]).toEqual([
        200,
        expect.objectContaining({ id: transactionId, status: 'COMPLETED' }),
      ]);
      const accounts = await platform.send('GET', `/customers/internal-accounts?customerId=${payer.id}&currency=USD`);
      expect([accounts.status, accounts.body.data]).toEqual([
        200,
        [expect.objectContaining({ id: accountId, balance: expect.objectContaining({ amount: funds - paid }) })],
      ]);
      const listed = await platform.send('GET', '/transactions?limit=1');
      expect([listed.status, listed.body.totalCount]).toEqual([200, walks * transactionsOfWalk]);
    },
    async finish() {
      await expectSound(platform);
      const journal = await platform.control('GET', `/journal?limit=${kept}`);
      must(journal);
      const recorded = journal.body.data.map(lineOf).reverse();
      expect(recorded, 'the journal').toEqual(sent.slice(-kept));
      await expect.poll(() => heard.exchanges.length, { timeout: 10_000 }).toBe(sent.length);
      expect(heard.exchanges, 'the events').toEqual(sent);
      expect(heard.faults, 'the listener').toEqual([]);
      await heard.stop();
    },
  };
}

interface Exchange {
  readonly request: { readonly method: string; readonly url: string };
}

/** An exchange as it was sent, without the base address; undefined if it isn't one of the interface. */
function lineOf({ request: { method, url } }: Exchange): string | undefined {
  const { pathname, search } = new URL(url);
  return pathname.startsWith(`${basePath}/`) ? `${method} ${pathname.slice(basePath.length)}${search}` : undefined;
}

/** Listens from now on. */
async function listen(sandbox: TestSandbox, { clientId, clientSecret }: TestPlatform) {
  const exchanges: (string | undefined)[] = [];
  const faults: unknown[] = [];
  const headers = { authorization: basic(clientId, clientSecret) };
  const response = await sandbox.fetch(new Request(`${origin}/__sandbox/events`, { headers }));
  must(response);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const utf8 = new TextDecoder();
  let isEnding = false;
  const hear = async (): Promise<void> => {
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const parts = (text + utf8.decode(value, { stream: true })).split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        if (!part.startsWith('data: ')) continue;
        const event = JSON.parse(part.slice('data: '.length)) as ControlEvent;
        if (event.type === 'EXCHANGE') exchanges.push(lineOf(event.exchange));
        if (event.type === 'MISSED') faults.push(event);
      }
    }
    if (!isEnding) faults.push('The stream ended');
  };
  const heard = hear().catch((error: unknown) => void faults.push(error));
  return {
    exchanges,
    faults,
    async stop(): Promise<void> {
      isEnding = true;
      await reader.cancel();
      await heard;
    },
  };
}
