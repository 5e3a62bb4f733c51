// What a server that serves this page wires it with: the base path of the contract, and credentials to try it with.
// The sandbox answers its own in place of this file.
globalThis.countersign = {};
