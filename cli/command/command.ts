/** What a command is: its words and flags, what its help says, and what it does. run.ts runs it. */

/** A flag, as it is typed with two dashes. */
export interface Flag {
  readonly type: 'boolean' | 'string';
  /** The description in the help. */
  readonly does: string;
  /** What stands for its value in the help, such as `FILE`. */
  readonly value?: string;
  /** May be given several times. */
  readonly multiple?: true;
  /** The words that it takes; no other. */
  readonly choices?: readonly string[];
  /** The highest number that it takes: then the value is a whole number from 0 on. */
  readonly upTo?: number;
  /** The default value. */
  readonly default?: string | number;
  /** The variable of the environment that gives it when the command line doesn't. Several values have commas between. */
  readonly env?: string;
}

export type Flags = Readonly<Record<string, Flag>>;

type Single<F extends Flag> = F extends { readonly type: 'boolean' }
  ? boolean
  : F extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : F extends { readonly upTo: number }
      ? number
      : string;

type ValueOf<F extends Flag> = F extends { readonly multiple: true }
  ? readonly Single<F>[]
  : F extends { readonly type: 'boolean' } | { readonly default: string | number }
    ? Single<F>
    : Single<F> | undefined;

/** The values of flags, by name. */
export type Values<F extends Flags> = { readonly [Name in keyof F]: ValueOf<F[Name]> };

/** What stands on the command line beside the flags. */
export interface Word {
  /** Its name in the help, such as `FILE`. */
  readonly name: string;
  readonly does: string;
  readonly isRequired?: true;
  /** Takes all that follow. */
  readonly isRepeated?: true;
}

/** Where a command writes to. */
export interface Output {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** How a long-running command ends: mocks/lifecycle.mjs, which the entry file imports first and hands on. */
export interface Lifecycle {
  /** What was typed: the entry file and all that follows it. */
  readonly commandLine: readonly string[];
  /**
   * From now on SIGTERM, SIGINT, SIGHUP and the end of the parent call `stop`, once, with what happened. Another Ctrl-C ends
   * the process at once. What is stopped ends the process itself.
   */
  takeOver(stop: (why: string) => void): void;
  /** Lets the command that was typed with `--detach` end. */
  tellReady(text: string): void;
}

/** The environment that a command runs in. */
export interface Context {
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Left out where only commands run that come to an end by themselves. */
  readonly lifecycle?: Lifecycle;
  /** If this Node is too old for most commands: what to say of the command of that name. */
  readonly refusesNode?: ((command: string) => string) | undefined;
}

/** The input of a command. */
export interface Given<F extends Flags> extends Context {
  readonly flags: Values<F>;
  readonly words: readonly string[];
  /** All of it as it was typed, for a command that hands it on. */
  readonly typed: readonly string[];
}

export interface Command<F extends Flags = Flags> {
  readonly name: string;
  /** How it is typed: `npx countersign check`, `npm run score`. */
  readonly call: string;
  /** The npm script of the repository that runs it. */
  readonly script: string;
  /** In one line, without a full stop. */
  readonly does: string;
  /** More, for its help. */
  readonly about?: string;
  readonly words?: readonly Word[];
  readonly flags: F;
  /** What is typed behind its call, and what that does. */
  readonly examples: readonly (readonly [typed: string, does: string])[];
  /** What its exit codes mean where the general rule doesn't say enough. */
  readonly ends?: string;
  /** Packages that it needs and that an installed package doesn't bring. */
  readonly needs?: readonly string[];
  /** Whether it runs on Node 20 and 22 too. */
  readonly anyNode?: true;
  /** Does it. @returns the exit code, or nothing while it goes on running @throws WrongUse, Finding */
  run(given: Given<F>): Promise<number | undefined>;
}

/** A command, its flags typed by what they say of themselves. */
export function defineCommand<const F extends Flags>(command: Command<F>): Command<F> {
  return command;
}

/** Flags that more than one command has, typed by what they say of themselves. */
export function defineFlags<const F extends Flags>(flags: F): F {
  return flags;
}

/** What a long-running command is given. @throws Error if it was started by what doesn't know how it ends. */
export function withLifecycle<G extends Context>(given: G): G & { readonly lifecycle: Lifecycle } {
  const { lifecycle } = given;
  if (lifecycle === undefined) throw new Error('This command goes on running: cli/countersign.mjs starts it');
  return { ...given, lifecycle };
}
