/**
 * `npm run score`: prints the score that `redocly score` gives our contract, and its parts. The exit status is 1 if the
 * score is below the floor. openapi/README.md says what lowers it.
 */
import { defineCommand } from '../../cli/command/command.ts';
import { asFinding, Finding } from '../../cli/command/exit.ts';
import { runScript } from '../../cli/command/run.ts';
import { projectRoot } from '../lib/project.ts';
import { runTool } from '../lib/tool.ts';

/** The contract's score. A change that lowers it more than it is worth fails here. */
export const floor = 82.5;

/** The score and its parts, each of 100. The parts have the tool's names and order. */
export interface Score {
  readonly total: number;
  readonly parts: ReadonlyMap<string, number>;
}

/** Scores a contract. @param file from the project's folder. Throws with the tool's report if it can't be read. */
export async function scoreContract(file = 'openapi/openapi.yaml'): Promise<Score> {
  const { code, stdout, output } = await runTool(
    ['@redocly/cli', 'redocly'],
    ['score', file, '--format=json'],
    projectRoot,
  );
  if (code !== 0) throw new Error(`redocly score failed.\n${output.trim()}`);
  const { agentReadiness, discoverability, subscores } = JSON.parse(stdout) as {
    agentReadiness: number;
    discoverability: number;
    subscores: Record<string, number>;
  };
  const parts = Object.entries(subscores).map(([name, share]): [string, number] => [asWords(name), share * 100]);
  return { total: agentReadiness, parts: new Map([...parts, ['Discoverability', discoverability]]) };
}

/** `parameterSimplicity` is printed as `Parameter simplicity`. */
function asWords(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const command = defineCommand({
  name: 'score',
  call: 'npm run score',
  script: 'score',
  does: 'score the contract with redocly score',
  about: 'Prints the score of our contract and its parts. openapi/README.md says what lowers the score.',
  flags: {},
  examples: [['', 'score it']],
  ends: `Exit codes: 0 the score is ${floor} or more, 1 it is below, 2 wrong use, 3 a fault of Countersign.`,
  async run({ output }) {
    const { total, parts } = await scoreContract().catch((error: unknown) => {
      throw asFinding(error);
    });
    for (const [name, value] of parts) output.stdout(`${name.padEnd(24)} ${value.toFixed(0).padStart(3)}\n`);
    output.stdout(`${'Score'.padEnd(24)} ${total.toFixed(1)} of 100, floor ${floor}\n`);
    if (total >= floor) return 0;
    throw new Finding('The score is below the floor. The table in openapi/README.md says how much each part counts.');
  },
});

if (import.meta.main) await runScript(command);
