/** Steers a sandbox from a program: the control client, the client that it is built on, and their types. */
export type { CallOptions, ControlCalls } from '../generated/controlCalls.ts';
export * from '../generated/controlClient.ts';
export type * from '../generated/controlTypes.ts';
export type { WantedCode } from './codes.ts';
export { ControlError, createControl } from './steering.ts';
export type { ClientOptions, Control, ControlOptions, Platform } from './steeringTypes.ts';
