/** One request and its reply, as a recording, a proxy or a test saw them. */
export interface RecordedExchange {
  readonly request: {
    readonly method: string;
    /** The whole address. */
    readonly url: string;
    readonly headers: HeaderList;
    readonly body: RecordedBody;
  };
  readonly response: {
    /** 0 or less when no reply came. */
    readonly status: number;
    readonly headers: HeaderList;
    readonly body: RecordedBody;
  };
}

/** Header lines in their order; a name may come several times, in any letter case. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** A body's text; empty when there was none. Or why there is no text to judge. */
export type RecordedBody =
  | { readonly kind: 'text'; readonly text: string }
  /** It was there, or may have been, and the recording does not have it. */
  | { readonly kind: 'unrecorded' }
  /** It is there and isn't text; `why` ends the sentence "The body …". */
  | { readonly kind: 'unreadable'; readonly why: string };

/** A header's value, its lines joined (RFC 9110, 5.2), the same line twice taken once; undefined when it is absent. */
export function headerValue(headers: HeaderList, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const lines = headers
    .filter(([given]) => given.toLowerCase() === wanted)
    // Some recorders put the lines of one name into one value.
    .flatMap(([, value]) => value.split('\n'));
  return lines.length === 0 ? undefined : [...new Set(lines)].join(', ');
}
