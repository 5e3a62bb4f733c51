/** Makes the value for a key at its first use, and keeps it. `keyOf` returns the key of an argument. */
export function memoize<Argument, Value>(
  make: (argument: Argument) => Value,
  keyOf: (argument: Argument) => unknown = (argument) => argument,
): (argument: Argument) => Value {
  const kept = new Map<unknown, { readonly value: Value }>();
  return (argument) => {
    const key = keyOf(argument);
    let found = kept.get(key);
    if (found === undefined) {
      found = { value: make(argument) };
      kept.set(key, found);
    }
    return found.value;
  };
}

/** Calls `make` at the first use and keeps its value. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Awaits `make` at the first call and keeps its value. A failure isn't kept: the next call tries again. */
export function onceDone<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let kept: Promise<Value> | undefined;
  return () => {
    kept ??= make().catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    return kept;
  };
}
