// The settings that a server gives this page: the base path of the contract, credentials, and whether the control
// surface can reset their platform. The sandbox serves its own settings instead of this file.
globalThis.countersign = {};
