import { useSession } from '../platform/session.tsx';
import { useAct } from './act.tsx';

const steps = [
  [30, '+30 s'],
  [360, '+6 min'],
  [86_400, '+1 day'],
] as const;

/** Moves the platform's clock. */
export function ClockButtons() {
  const { control, controlQuery } = useSession();
  const clock = controlQuery.useQuery('get', '/clock');
  const act = useAct();
  const isFrozen = clock.data?.frozen === true;
  return (
    <div className="bar">
      {steps.map(([advanceSeconds, label]) => (
        <button
          key={label}
          type="button"
          onClick={() =>
            act(`The clock moved by ${label}.`, () => control.POST('/clock', { body: { advanceSeconds } }))
          }
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
