// Runs a script of the project with a limit on the size of files that it writes, which simulates a full disk for one
// process. It replaces itself with that process, so that a signal reaches it directly. Usage: node limited.mjs BLOCKS
// SCRIPT …ARGS; a block is 512 bytes (ulimit -f).
const [blocks, ...command] = process.argv.slice(2);
const limited = ['sh', '-c', 'ulimit -f "$0" && exec "$@"', blocks, process.execPath, ...command];
process.execve('/bin/sh', limited, process.env);
