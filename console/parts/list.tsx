/** A long list that draws only its visible part. Arrow keys move in it. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { Link } from '../platform/router.tsx';

export interface ListProps<Item> {
  readonly label: string;
  /** The row above the columns. */
  readonly head: ReactNode;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly hrefOf: (item: Item) => string;
  readonly current?: string | undefined;
  readonly rowHeight?: number;
  /** Called when the end becomes visible. */
  readonly onEnd?: () => void;
  readonly children: (item: Item) => ReactNode;
}

export function LongList<Item>(props: ListProps<Item>) {
  const { label, head, items, keyOf, hrefOf, current, rowHeight = 40, onEnd, children } = props;
  const scroller = useRef<HTMLDivElement>(null);
  /** The row that the keys have selected, until it has the focus. */
  const heading = useRef<number>(undefined);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    onChange: ({ range }) => {
      if (range !== null && range.endIndex >= items.length - 5) onEnd?.();
    },
  });
  const move = (event: KeyboardEvent<HTMLDivElement>): void => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    const step = steps[event.key];
    const at = Number((event.target as HTMLElement).dataset['index']);
    if (step === undefined || !Number.isInteger(at)) return;
    event.preventDefault();
    // Keys may come faster than rows are drawn, so the next step starts from the row selected here.
    const next = Math.min(items.length - 1, Math.max(0, (heading.current ?? at) + step));
    heading.current = next;
    rows.scrollToIndex(next);
    const find = () => scroller.current?.querySelector<HTMLElement>(`a[data-index="${next}"]`);
    const arrive = (tries: number): void => {
      if (heading.current !== next) return;
      const row = find();
      if (row === null || row === undefined) {
        if (tries > 0) requestAnimationFrame(() => arrive(tries - 1));
        else heading.current = undefined;
        return;
      }
      row.focus({ preventScroll: true });
      heading.current = undefined;
    };
    arrive(10);
  };
  return (
    <div className="list">
      <div className="row head" aria-hidden="true">
        {head}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move among the links inside */}
      <div className="scroller" ref={scroller} onKeyDown={move}>
        <ul aria-label={label} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const item = items[index] as Item;
            const key = keyOf(item);
            return (
              <li
                key={key}
                aria-setsize={items.length}
                aria-posinset={index + 1}
                style={{ height: rowHeight, transform: `translateY(${start}px)` }}
              >
                <Link
                  className="row"
                  href={hrefOf(item)}
                  data-index={index}
                  aria-current={key === current ? 'true' : undefined}
                >
                  {children(item)}
                </Link>
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}
