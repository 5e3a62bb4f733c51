import { type FormEvent, useState } from 'react';
import type { BasicCredentials } from '../generated/client.ts';
import { messageOf } from './parts/message.ts';
import type { Connection } from './platform/connection.ts';
import { openSession } from './platform/session.tsx';

/** Signs in with the credentials of a platform. */
export function SignIn(props: {
  readonly connection: Connection;
  readonly reason: string | undefined;
  readonly onSignIn: (credentials: BasicCredentials) => void;
}) {
  const { connection, reason, onSignIn } = props;
  const { suggested } = connection;
  const [failure, setFailure] = useState(reason);
  const [isAsking, setIsAsking] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const credentials = { clientId: String(form.get('clientId')), clientSecret: String(form.get('clientSecret')) };
    setIsAsking(true);
    setFailure(await findRefusal(connection, credentials));
    setIsAsking(false);
  };
  const findRefusal = async (to: Connection, credentials: BasicCredentials): Promise<string | undefined> => {
    if (credentials.clientId.includes(':')) return "A client id can't contain a colon.";
    const { error } = await openSession(to, credentials).control.GET('/clock');
    if (error === undefined) onSignIn(credentials);
    else if (error.code === 'UNAUTHORIZED') return "The sandbox doesn't know these credentials.";
    else if (error.code === 'FORBIDDEN') return "This token can't manage its platform. Use a token with MANAGE.";
    return error === undefined ? undefined : messageOf(error);
  };
  return (
    <main className="sign-in panel">
      <h1>Countersign console</h1>
      <p className="soft">Sign in with the credentials of a platform. The console shows that platform only.</p>
      <form onSubmit={(event) => void submit(event)}>
        <label>
          Client id
          <input name="clientId" defaultValue={suggested?.clientId} required autoComplete="off" spellCheck={false} />
        </label>
        <label>
          Client secret
          <input
            name="clientSecret"
            type="password"
            defaultValue={suggested?.clientSecret}
            required
            autoComplete="off"
          />
        </label>
        {failure === undefined ? null : (
          <p role="alert" className="failure">
            {failure}
          </p>
        )}
        <button type="submit" className="primary" disabled={isAsking}>
          Sign in
        </button>
      </form>
    </main>
  );
}
