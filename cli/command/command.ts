/** Defines what a command is: its words and flags, its help, and what it does. run.ts runs it. */

/** A flag. Users type it with two dashes. */
export interface Flag {
  readonly type: 'boolean' | 'string';
  /** The description in the help. */
  readonly does: string;
  /** The placeholder for the value in the help, such as `FILE`. */
  readonly value?: string;
  /** May be given several times. */
  readonly multiple?: true;
  /** The only values that it accepts. */
  readonly choices?: readonly string[];
  /** The highest number allowed. If it is set, the value is a whole number from 0 up to this one. */
  readonly upTo?: number;
  /** The default value. */
  readonly default?: string | number;
  /** The environment variable that sets the flag if the command line doesn't. Commas separate several values. */
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

/** A word on the command line that isn't a flag. */
export interface Word {
  /** The name in the help, such as `FILE`. */
  readonly name: string;
  readonly does: string;
  readonly isRequired?: true;
  /** Takes all words that follow. */
  readonly isRepeated?: true;
}

/** Where a command writes its output. */
export interface Output {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/**
 * How a long-running command ends. mocks/lifecycle.mjs implements it: the entry file imports that first and passes it
 * on.
 */
export interface Lifecycle {
  /** What the user typed: the entry file and everything after it. */
  readonly commandLine: readonly string[];
  /**
   * From now on, SIGTERM, SIGINT, SIGHUP and the end of the parent process call `stop` once, with the reason. A second
   * Ctrl-C ends the process at once. `stop` must end the process itself.
   */
  takeOver(stop: (why: string) => void): void;
  /** Tells the command that was typed with `--detach` that this process is ready, so that it can return. */
  tellReady(text: string): void;
}

/** The environment that a command runs in. */
export interface Context {
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absent if only commands run that end without a signal. */
  readonly lifecycle?: Lifecycle;
  /** Set if this Node is too old for most commands: makes the message for the named command. */
  readonly refusesNode?: ((command: string) => string) | undefined;
}

/** The input of a command. */
export interface Given<F extends Flags> extends Context {
  readonly flags: Values<F>;
  readonly words: readonly string[];
  /** Everything that was typed, for a command that passes it on. */
  readonly typed: readonly string[];
}

export interface Command<F extends Flags = Flags> {
  readonly name: string;
  /** How users type it: `npx countersign check`, `npm run score`. */
  readonly call: string;
  /** The npm script of the repository that runs it. */
  readonly script: string;
  /** What it does, in one line without a full stop. */
  readonly does: string;
  /** More text for its help. */
  readonly about?: string;
  readonly words?: readonly Word[];
  readonly flags: F;
  /** What to type after the command, and what that does. */
  readonly examples: readonly (readonly [typed: string, does: string])[];
  /** What its exit codes mean, if the general rule doesn't say enough. */
  readonly ends?: string;
  /** Packages that it needs and that an installed Countersign doesn't bring. */
  readonly needs?: readonly string[];
  /** Whether it runs on Node 20 and 22 too. */
  readonly anyNode?: true;
  /** Runs the command. @returns the exit code, or nothing if it keeps running @throws WrongUse, Finding */
  run(given: Given<F>): Promise<number | undefined>;
}

/** Declares a command. The types of its flags follow from their definitions. */
export function defineCommand<const F extends Flags>(command: Command<F>): Command<F> {
  return command;
}

/** Declares flags that several commands share. Their types follow from their definitions. */
export function defineFlags<const F extends Flags>(flags: F): F {
  return flags;
}

/** Returns the input of a long-running command. @throws Error if the entry file didn't pass a lifecycle on */
export function withLifecycle<G extends Context>(given: G): G & { readonly lifecycle: Lifecycle } {
  const { lifecycle } = given;
  if (lifecycle === undefined) throw new Error('This command keeps running, so only cli/countersign.mjs can start it');
  return { ...given, lifecycle };
}
