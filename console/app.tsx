import { CSPProvider } from '@base-ui/react/csp-provider';
import { Toast } from '@base-ui/react/toast';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { BasicCredentials } from '../generated/client.ts';
import { Toasts } from './parts/act.tsx';
import { Boundary } from './parts/boundary.tsx';
import type { Connection } from './platform/connection.ts';
import { LiveProvider } from './platform/live.tsx';
import { keptCredentials, openSession, SessionProvider } from './platform/session.tsx';
import { Shell } from './shell.tsx';
import { SignIn } from './signIn.tsx';

/** The console of a sandbox. */
export function Console({ connection }: { readonly connection: Connection }) {
  const [credentials, setCredentials] = useState(keptCredentials.read);
  const [reason, setReason] = useState<string>();
  const signIn = useCallback((given: BasicCredentials | undefined, why?: string) => {
    keptCredentials.write(given);
    setCredentials(given);
    setReason(why);
  }, []);
  return (
    <CSPProvider disableStyleElements>
      <Toast.Provider>
        <Boundary what="The console" at={credentials?.clientId ?? ''}>
          {credentials === undefined ? (
            <SignIn connection={connection} reason={reason} onSignIn={signIn} />
          ) : (
            <SignedIn connection={connection} credentials={credentials} onSignOut={signIn} />
          )}
        </Boundary>
        <Toasts />
      </Toast.Provider>
    </CSPProvider>
  );
}

function SignedIn(props: {
  readonly connection: Connection;
  readonly credentials: BasicCredentials;
  readonly onSignOut: (given: BasicCredentials | undefined, why?: string) => void;
}) {
  const { connection, credentials, onSignOut } = props;
  const session = useMemo(() => openSession(connection, credentials), [connection, credentials]);
  // One platform's data is never shown for another platform.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new session begins with nothing
  const queries = useMemo(() => new QueryClient({ defaultOptions }), [session]);
  const onSignedOut = useCallback(
    () => onSignOut(undefined, 'These credentials are no longer valid. Sign in again.'),
    [onSignOut],
  );
  return (
    <SessionProvider session={session}>
      <QueryClientProvider client={queries}>
        <LiveProvider onSignedOut={onSignedOut}>
          <Shell onSignOut={() => onSignOut(undefined)} onSwitch={onSignOut} />
        </LiveProvider>
      </QueryClientProvider>
    </SessionProvider>
  );
}

// Events report every change, so nothing is read again after a time, and a refusal counts as an answer. A sandbox on
// this machine or in the page answers without a network too.
const defaultOptions = {
  queries: { retry: false, refetchOnWindowFocus: false, staleTime: 2000, networkMode: 'always' },
} as const;
