/** The examples: how each is run, and a fault that its tests must find. */

/** A change of a file that breaks the example. */
export interface PlantedFault {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** What the output then contains, in addition to the exit code. */
  readonly says: RegExp;
}

export interface Recipe {
  /** The folder below `examples/`. */
  readonly folder: string;
  /** The command in its README after installation. `$PYTHON` and similar variables come from the runtime. */
  readonly command: string;
  /** What the output of a good run contains. */
  readonly says: RegExp;
  readonly fault: PlantedFault;
  /** Whether it uses the sandbox at `COUNTERSIGN_URL`, and fails if `countersign check` has findings. */
  readonly judges?: true;
}

export const recipes: readonly Recipe[] = [
  {
    folder: 'pytest',
    command: '"$PYTHON" -m pytest --numprocesses 2',
    says: /countersign check[\s\S]*0 findings[\s\S]*4 passed/,
    fault: {
      file: 'payouts.py',
      from: '{"Idempotency-Key": str(key)}',
      to: '{}',
      says: /FAILED \S*::test_a_broken_connection_does_not_pay_twice/,
    },
    judges: true,
  },
  {
    folder: 'junit',
    command: 'sh test.sh',
    says: /3 tests successful/,
    fault: {
      file: 'src/main/java/example/Payouts.java',
      from: 'Map.of("Idempotency-Key", key.toString())',
      to: 'Map.of()',
      says: /aBrokenConnectionDoesNotPayTwice[\s\S]*expected: <97500> but was: <95000>/,
    },
    judges: true,
  },
  {
    folder: 'go',
    command: 'gofmt -l . && go vet ./... && go test -count=1 ./...',
    says: /^ok\s/m,
    fault: {
      file: 'payouts.go',
      from: '{"Idempotency-Key": key}',
      to: '{}',
      says: /FAIL: TestABrokenConnectionDoesNotPayTwice/,
    },
    judges: true,
  },
  {
    folder: 'vite-react',
    command: 'npm test && npm run build',
    says: /5 passed/,
    fault: {
      file: 'server/relay.ts',
      from: 'id === body.source?.accountId',
      to: 'id !== body.source?.accountId',
      says: /× a page pays out its own money/,
    },
  },
  {
    folder: 'next',
    command: 'npm test',
    says: /4 passed/,
    fault: {
      file: 'app/api/payouts/route.ts',
      from: "{ customerId, currency: 'USD' }",
      to: "{ currency: 'USD' }",
      says: /× what the app refuses/,
    },
  },
  {
    folder: 'msw',
    command: 'npm test',
    says: /3 passed/,
    fault: {
      file: 'src/Transactions.tsx',
      from: '[customerId, attempt]',
      to: '[customerId]',
      says: /× a service that is down for a moment/,
    },
  },
  {
    folder: 'playwright',
    command: 'npm test',
    says: /4 passed/,
    fault: {
      file: 'server/app.ts',
      from: "'service-wallet-signature'",
      to: "'signature'",
      says: /✘ [^\n]*signs in with it, and signs/,
    },
  },
];
