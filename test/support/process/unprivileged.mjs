// Opens a data file as a user with no more rights than others, because root may open every file. Usage: node
// unprivileged.mjs FOLDER FILE; prints why the file can't be used, and ends with 1.
import { openSqlite } from '../../../mocks/sandbox/node/sqlite/sqlite.ts';

const [folder, file] = process.argv.slice(2);
process.chdir(folder);
if (process.getuid?.() === 0) {
  process.setgid(65534);
  process.setuid(65534);
}
try {
  await (await openSqlite(file)).close();
} catch (error) {
  console.log(error.message);
  process.exit(1);
}
