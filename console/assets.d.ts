/** What the build makes of a style sheet. */
declare module '*.css';
