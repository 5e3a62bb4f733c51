/**
 * The folder that holds `generated/`: the project's, or `dist/` in the package. A bundle puts this module into a file right
 * below `dist/`, so one step up is right in both.
 */
export const root = new URL('../', import.meta.url);
