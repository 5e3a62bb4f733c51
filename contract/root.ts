/**
 * The folder that contains `generated/`: the project's root, or `dist/` in the package. A bundle puts this module into
 * a file directly below `dist/`, so one step up is right in both cases.
 */
export const root = new URL('../', import.meta.url);
