/** Copies the project for tests of scripts that write into it. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../scripts/lib/project.ts';
import { temporaryFolder } from '../sandbox/folder.ts';

/** A copy with a Git history of its own. */
export interface ProjectCopy {
  readonly folder: string;
  /** Makes the present files the state that `changes` compares with. */
  commit(): void;
  /** The paths that `git status` shows, the ignored ones too. A path of a folder ends with a slash. */
  changes(): string[];
  /** Puts every file back as it was copied. */
  restore(): void;
}

/**
 * The environment without what npm and Git set for this run. It would lead a command in a copy back to this project.
 */
export function foreignEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^(?:INIT_CWD$|GIT_|npm_)/i.test(name));
  return Object.fromEntries(entries);
}

/**
 * Copies the files that Git tracks or would track. The copy shares the installed packages.
 * @param atEnd registers its removal, by default at the end of the test
 */
export function copyProject(atEnd?: (remove: () => void) => void): ProjectCopy {
  const folder = temporaryFolder(atEnd);
  const env = foreignEnvironment();
  const git = (...args: string[]): string => {
    const settings = ['core.fsync=none', 'core.autocrlf=false', 'user.name=T', 'user.email=t@example.com'];
    const given = settings.flatMap((setting) => ['-c', setting]);
    return execFileSync('git', [...given, ...args], { cwd: folder, encoding: 'utf8', env });
  };
  git('init', '--quiet');
  shareObjects(folder, env);
  git(`--work-tree=${projectRoot}`, `--git-dir=${join(folder, '.git')}`, 'add', '--all');
  git('checkout-index', '--all');
  git('commit', '--quiet', '--message', 'The project');
  const base = git('rev-parse', 'HEAD').trim();
  // The project's .gitignore means a folder, and this is a link.
  appendFileSync(join(folder, '.git/info/exclude'), '/node_modules\n');
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return {
    folder,
    commit() {
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '--message', 'As the test begins');
    },
    changes: () =>
      git('status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--ignored=matching')
        .split('\0')
        .map((line) => line.slice(3))
        .filter((path) => path !== '' && path !== 'node_modules')
        .sort(),
    restore() {
      git('reset', '--quiet', '--hard', base);
      git('clean', '-fdxq', '--exclude=/node_modules');
    },
  };
}

/** Lets the copy use the project's stored files, which saves storing them again. A project without Git has none. */
function shareObjects(folder: string, env: NodeJS.ProcessEnv): void {
  try {
    const args = ['rev-parse', '--path-format=absolute', '--git-path', 'objects'];
    const objects = execFileSync('git', args, { cwd: projectRoot, env, stdio: ['ignore', 'pipe', 'ignore'] });
    appendFileSync(join(folder, '.git/objects/info/alternates'), objects);
  } catch {}
}
