import { useSession } from '../platform/session.tsx';
import { useAct } from './act.tsx';

const steps = [
  [30, '+30 s'],
  [360, '+6 min'],
  [86_400, '+1 day'],
] as const;

/** Moves the platform's clock. */
export function ClockButtons() {
  const { control, controlQuery, watch } = useSession();
  const clock = controlQuery.useQuery('get', '/clock');
  const act = useAct();
  const isFrozen = clock.data?.frozen === true;
  return (
    <div className="bar">
      {steps.map(([advanceSeconds, label]) => (
        <button
          key={label}
          type="button"
          onClick={async () => {
            await act(`The clock moved by ${label}.`, async () => {
              const moved = await control.POST('/clock', { body: { advanceSeconds } });
              // Any read makes the sandbox carry out what is due.
              if (moved.error === undefined) await watch.GET('/config');
              return moved;
            });
          }}
        >
          {label}
        </button>
      ))}
      <button
        type="button"
        aria-pressed={isFrozen}
        onClick={() =>
          act(isFrozen ? 'The clock is running.' : 'The clock is frozen.', () =>
            control.POST('/clock', { body: { freeze: !isFrozen } }),
          )
        }
      >
        Freeze
      </button>
    </div>
  );
}
