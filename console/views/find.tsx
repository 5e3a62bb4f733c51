import { useEffect, useState } from 'react';
import { Empty, Failure } from '../parts/basics.tsx';
import { addressOf, go, Link } from '../platform/router.tsx';
import { type Session, useSession } from '../platform/session.tsx';

/** Shows the view for an id. */
export function Find({ id }: { readonly id: string }) {
  const session = useSession();
  const [isMissing, setIsMissing] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    let isOver = false;
    void findAddress(session, id).then(
      (address) => {
        if (isOver) return;
        if (address === undefined) setIsMissing(true);
        else go(address, { replace: true });
      },
      (error: unknown) => setFailure(error),
    );
    return () => {
      isOver = true;
    };
  }, [session, id]);
  return (
    <>
      <header>
        <h1 className="wrap">{id}</h1>
      </header>
      {failure !== undefined ? (
        <Failure error={failure} />
      ) : isMissing ? (
        <Empty>
          No view shows this id. It's of another kind, or it was deleted.{' '}
          <Link href={addressOf('traffic', undefined, { text: id })}>Exchanges that mention it</Link>
        </Empty>
      ) : (
        <p className="soft">Looking…</p>
      )}
    </>
  );
}

type Finder = (session: Session, id: string) => Promise<string | undefined>;

/** The customer of an item, at the item's place in the page. */
const inCustomer =
  (ask: (session: Session, id: string) => Promise<{ readonly customerId?: string | undefined } | undefined>): Finder =>
  async (session, id) => {
    const customerId = (await ask(session, id))?.customerId;
    return customerId === undefined ? undefined : `${addressOf('customers', customerId)}#${encodeURIComponent(id)}`;
  };

const finders: Readonly<Record<string, Finder>> = {
  Customer: async (_session, id) => addressOf('customers', id),
  Quote: async (_session, id) => addressOf('money', id),
  Transaction: async (_session, id) => addressOf('money', id),
  Agent: async (_session, id) => addressOf('agents', id),
  AgentAction: async () => addressOf('agents'),
  Token: async () => `${addressOf('control')}#tokens`,
  PlatformConfig: async () => addressOf('control'),
  ExternalAccount: inCustomer(async ({ watch }, externalAccountId) => {
    const params = { path: { externalAccountId } };
    return (await watch.GET('/customers/external-accounts/{externalAccountId}', { params })).data;
  }),
  BeneficialOwner: inCustomer(async ({ watch }, beneficialOwnerId) => {
    return (await watch.GET('/beneficial-owners/{beneficialOwnerId}', { params: { path: { beneficialOwnerId } } }))
      .data;
  }),
  Verification: inCustomer(async ({ watch }, verificationId) => {
    return (await watch.GET('/verifications/{verificationId}', { params: { path: { verificationId } } })).data;
  }),
  InternalAccount: inCustomer(async ({ watch }, id) => {
    // No operation reads one of these by its id.
    for (let cursor: string | undefined; ; ) {
      const query = { limit: 100, ...(cursor === undefined ? {} : { cursor }) };
      const { data } = await watch.GET('/customers/internal-accounts', { params: { query } });
      const found = data?.data.find((account) => account.id === id);
      cursor = data?.nextCursor;
      if (found !== undefined || cursor === undefined) return found;
    }
  }),
};

function findAddress(session: Session, id: string): Promise<string | undefined> {
  const [type = ''] = id.split(':');
  return finders[type]?.(session, id) ?? Promise.resolve(addressOf('traffic', undefined, { text: id }));
}
