// Runs a script of the project with a bound on how large a file it may write: a disk that is full, for one process. It
// becomes that process, so that a signal to one ends the other.
// Usage: node limited.mjs BLOCKS SCRIPT …ARGS; a block is 512 bytes (ulimit -f).
const [blocks, ...command] = process.argv.slice(2);
const limited = ['sh', '-c', 'ulimit -f "$0" && exec "$@"', blocks, process.execPath, ...command];
process.execve('/bin/sh', limited, process.env);
