/** A request and its reply, as a recording, a proxy or a test saw them. */
export interface RecordedExchange {
  readonly request: {
    readonly method: string;
    /** The whole address. */
    readonly url: string;
    readonly headers: HeaderList;
    readonly body: RecordedBody;
  };
  readonly response: {
    /** 0 or less if there was no reply. */
    readonly status: number;
    readonly headers: HeaderList;
    readonly body: RecordedBody;
  };
}

/** Header lines in their order. A name may occur several times, in any letter case. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** A body's text; empty if there was none. Or the reason why there is no text to judge. */
export type RecordedBody =
  | { readonly kind: 'text'; readonly text: string }
  /** The recording lacks the body, whether or not there was one. */
  | { readonly kind: 'unrecorded' }
  /** The body exists but isn't text. `why` ends the sentence "The body …". */
  | { readonly kind: 'unreadable'; readonly why: string };

/**
 * A header's value. Its lines are joined (RFC 9110, 5.2), and a repeated line counts once. Undefined if it is absent.
 */
export function headerValue(headers: HeaderList, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const lines = headers
    .filter(([given]) => given.toLowerCase() === wanted)
    // Some recorders put all lines of one name into one value.
    .flatMap(([, value]) => value.split('\n'));
  return lines.length === 0 ? undefined : [...new Set(lines)].join(', ');
}
