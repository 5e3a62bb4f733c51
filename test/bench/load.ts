/**
 * Runs one round of load over the network: several connections, each of which sends its next request after the last
 * answer.
 */
import autocannon from 'autocannon';
import { type Exchange, type Step, samplesOf, stepsOf } from './requests.ts';
import { connections, machineCpuMs, ownCpuMs, type Round, shareOfOthers, Tally } from './round.ts';
import type { RunningServer } from './servers.ts';
import { headersOf } from './wire.ts';

const mostExtensions = 8;

/** Loads one server with one exchange for this many seconds. */
export async function load(server: RunningServer, exchange: Exchange, seconds: number): Promise<Round> {
  const serverCpuBefore = server.cpuMs();
  const machineCpuBefore = machineCpuMs();
  const cpuBefore = ownCpuMs();
  const startedAt = performance.now();
  const tally = new Tally();
  let { errors, timeouts } = await fire(server.origin, exchange, seconds, tally);
  // On a busy machine a short round can end before the first answer. If so, extend the round and its figures.
  for (let more = 1; more <= mostExtensions && tally.count === 0 && errors === 0; more += 1) {
    ({ errors, timeouts } = await fire(server.origin, exchange, seconds * 2 ** more, tally));
  }
  const wallMs = performance.now() - startedAt;
  const generatorCpuMs = ownCpuMs() - cpuBefore;
  const machineMs = machineCpuMs() - machineCpuBefore;
  const serverCpu = server.cpuMs();
  const serverMs = serverCpu === undefined || serverCpuBefore === undefined ? undefined : serverCpu - serverCpuBefore;
  const shares = {
    cpuMicros: serverMs === undefined ? null : (serverMs * 1000) / Math.max(1, tally.count),
    generatorBusy: generatorCpuMs / wallMs,
    othersBusy: serverMs === undefined ? null : shareOfOthers(machineMs - serverMs - generatorCpuMs, wallMs),
  };
  return tally.round(shares, errors > 0 ? [`${errors} failed connections (${timeouts} timed out)`] : []);
}

function fire(origin: string, exchange: Exchange, seconds: number, tally: Tally): Promise<autocannon.Result> {
  let connected = 0;
  // If several steps belong together, each answer is compared with its own step.
  const samples = samplesOf(exchange).flat();
  const isSingle = exchange.lastShare !== undefined || samples.length === 1;
  return new Promise((resolve, reject) => {
    const options: autocannon.Options = {
      url: origin,
      connections,
      duration: seconds,
      // It checks for the end of the round once per sample.
      sampleInt: 100,
      setupClient(client) {
        client.setRequests(requestsOf(stepsOf(exchange, connected), isSingle, tally));
        connected += 1;
      },
    };
    const run = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
    run.on('response', (_client, status, _bytes, milliseconds) => {
      tally.answered(milliseconds);
      if (isSingle) tally.check(samples.find(({ expected }) => expected === status) ?? (samples[0] as Step), status);
    });
  });
}

/**
 * The requests of one connection. Each connection gets copies, because the generator stores the data to send in them.
 */
function requestsOf(steps: readonly Step[], isSingle: boolean, tally: Tally): autocannon.Request[] {
  let answerBefore = '{}';
  return steps.map((step) => {
    const { method, path, body } = step;
    const request = { method, path, headers: headersOf(step), ...(body === undefined ? {} : { body }) };
    if (isSingle) return request;
    const onResponse = (status: number, text: string): void => {
      answerBefore = text;
      tally.check(step, status);
    };
    if (step.isRetry !== true) return { ...request, onResponse };
    const setupRequest = (again: autocannon.Request) => ({ ...again, headers: headersOf(step, answerBefore) });
    return { ...request, onResponse, setupRequest };
  });
}
