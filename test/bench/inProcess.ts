/**
 * Measures the sandbox as tests use it: `createSandbox()` of the package, called in the same process without a network.
 * It runs as a separate process that targets.ts controls. Its figures include the time to make requests and read
 * answers.
 */
import { createSandbox } from '../../package/sandbox.ts';
import { type Exchange, type ExchangeName, prepareWorld, type Step, stepsOf } from './requests.ts';
import { connections, machineCpuMs, ownCpuMs, type Round, shareOfOthers, Tally } from './round.ts';
import { headersOf } from './wire.ts';

/** The load to run. */
export interface Order {
  readonly exchange: ExchangeName;
  readonly seconds: number;
}

const sandbox = await createSandbox();
const world = await prepareWorld(sandbox.url, sandbox.fetch as typeof globalThis.fetch);
const origin = new URL(sandbox.url).origin;

async function go(exchange: Exchange, seconds: number): Promise<Round> {
  const machineCpuBefore = machineCpuMs();
  const cpuBefore = ownCpuMs();
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  const tally = new Tally();
  const lanes = Array.from({ length: connections }, async (_, lane) => {
    const steps = stepsOf(exchange, lane);
    if (exchange.lastShare === undefined) while (performance.now() < endAt) await goThrough(steps, tally);
    else for (let next = 0; performance.now() < endAt; next += 1) await goThrough([drawn(steps, next)], tally);
  });
  await Promise.all(lanes);
  const wallMs = performance.now() - startedAt;
  const ownMs = ownCpuMs() - cpuBefore;
  return tally.round({
    cpuMicros: (ownMs * 1000) / Math.max(1, tally.count),
    generatorBusy: null,
    othersBusy: shareOfOthers(machineCpuMs() - machineCpuBefore - ownMs, wallMs),
  });
}

function drawn(steps: readonly Step[], next: number): Step {
  return steps[next % steps.length] as Step;
}

async function goThrough(steps: readonly Step[], tally: Tally): Promise<void> {
  let answerBefore: string | undefined;
  for (const step of steps) {
    const sentAt = performance.now();
    const init = { method: step.method, headers: headersOf(step, answerBefore), body: step.body ?? null };
    const response = await sandbox.fetch(new Request(origin + step.path, init));
    answerBefore = await response.text();
    tally.answered(performance.now() - sentAt);
    tally.check(step, response.status);
  }
}

process.on('message', async ({ exchange, seconds }: Order) => {
  const wanted = world.exchanges.find(({ name }) => name === exchange);
  if (wanted === undefined) throw new Error(`There is no exchange ${exchange}`);
  if (exchange === 'signed') await world.signIn();
  process.send?.(await go(wanted, seconds));
});
console.log(`the sandbox in process is ready at ${sandbox.url}`);
