/** The work of a button: sends a request, then reports how it ended. */
import { Toast } from '@base-ui/react/toast';
import { useQueryClient } from '@tanstack/react-query';
import { readAgain } from '../platform/readAgain.ts';
import { messageOf } from './message.ts';

interface Outcome<Data> {
  readonly data?: Data | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

export interface Act {
  /**
   * Sends a request, reports how it ended, and reads the shown data again.
   * @returns the data; undefined if the request was refused.
   */
  <Data>(done: string, request: () => Promise<Outcome<Data>>): Promise<Outcome<Data> | undefined>;
  /** Shows a message. */
  say(text: string | Promise<string>): void;
}

export function useAct(): Act {
  const toasts = Toast.useToastManager();
  const queries = useQueryClient();
  const act = async <Data,>(done: string, request: () => Promise<Outcome<Data>>) => {
    const outcome = await request().catch((error: unknown) => ({ error, response: Response.error() }) as Outcome<Data>);
    if (outcome.error !== undefined) {
      toasts.add({ title: messageOf(outcome.error), type: 'failure', priority: 'high', timeout: 15_000 });
      return undefined;
    }
    toasts.add({ title: done });
    readAgain(queries);
    return outcome;
  };
  return Object.assign(act, {
    say(text: string | Promise<string>): void {
      void Promise.resolve(text).then((title) => toasts.add({ title }));
    },
  });
}

/** The place where messages appear. */
export function Toasts() {
  const { toasts } = Toast.useToastManager();
  return (
    <Toast.Portal>
      <Toast.Viewport className="toasts">
        {toasts.map((toast) => (
          <Toast.Root key={toast.id} toast={toast} className={`toast ${toast.type ?? ''}`}>
            <Toast.Content className="toast-content">
              <Toast.Title className="toast-text" />
              <Toast.Close className="small" aria-label="Dismiss">
                ×
              </Toast.Close>
            </Toast.Content>
          </Toast.Root>
        ))}
      </Toast.Viewport>
    </Toast.Portal>
  );
}
