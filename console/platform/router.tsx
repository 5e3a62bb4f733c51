/**
 * The addresses of the console. Each is a deep link: `/console/<view>/<id>?filter`. A static host has only one file, so
 * there the place is in the query: `?at=<view>/<id>&filter`.
 */
import { type AnchorHTMLAttributes, type MouseEvent, type Ref, useSyncExternalStore } from 'react';
import { readInPageSettings } from './inPage.ts';

const isStatic = readInPageSettings() !== undefined;

export const root = isStatic ? location.pathname : '/console';

/** The parameter for the place on a static host. No filter has this name. */
const placeName = 'at';

export interface Place {
  /** Empty for the first view. */
  readonly view: string;
  readonly id: string | undefined;
  readonly query: URLSearchParams;
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('popstate', listener);
  };
}

export function readPlace(address: string): Place {
  const { pathname, searchParams } = new URL(address, location.origin);
  const place = isStatic ? (searchParams.get(placeName) ?? '') : pathname.slice(root.length + 1);
  const [view = '', id] = place.split('/');
  return { view, id: id === undefined || id === '' ? undefined : decode(id), query: searchParams };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function usePlace(): Place {
  return readPlace(useSyncExternalStore(subscribe, () => location.href));
}

/** The address of a view, of an item in it, or of a filtered view. */
export function addressOf(view: string, id?: string, query?: Readonly<Record<string, string>>): string {
  // An id contains a colon, which needs no escape in a path.
  const segments = [view, ...(id === undefined ? [] : [encodeURIComponent(id).replaceAll('%3A', ':')])];
  const place = segments.filter((segment) => segment !== '').join('/');
  const search = new URLSearchParams(isStatic && place !== '' ? { [placeName]: place, ...query } : query).toString();
  return (isStatic || place === '' ? root : `${root}/${place}`) + (search === '' ? '' : `?${search}`);
}

export function go(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  for (const listener of [...listeners]) listener();
}

/** A link inside the console. */
export function Link(
  props: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string; readonly ref?: Ref<HTMLAnchorElement> },
) {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    props.onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    go(props.href);
    scrollTo(0, 0);
  };
  // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
  // biome-ignore lint/a11y/noStaticElementInteractions: it has an address, so it is a link
  // biome-ignore lint/a11y/useValidAnchor: it is a link, which is only followed without loading the page again
  return <a {...props} onClick={follow} />;
}
