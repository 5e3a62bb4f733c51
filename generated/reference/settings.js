// What a server that serves this page wires it with: the base path of the contract, credentials to try it with, and
// whether the control surface can take their platform to its beginning.
// The sandbox answers its own in place of this file.
globalThis.countersign = {};
