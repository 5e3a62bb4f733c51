/** Types a style sheet, which the build turns into a module. */
declare module '*.css';
