/** The package runs on Node 20, as its `engines` say; the project's own tools run on a newer one. */
import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { reachedFrom, read, root } from '../support/architecture/source-files.ts';

const supplied = 'lib/build/package/for-node-20.ts';
let faults: readonly string[];

/** The compiler's errors about what Node 20 lacks, in files that the bundle has more than types of. */
const lacking = (entry: string): string[] => {
  const bundled = reachedFrom([entry]);
  return faults.filter((fault) => bundled.has(fault.split('(')[0] ?? ''));
};

beforeAll(() => {
  const compiler = spawnSync(
    'node_modules/.bin/tsc',
    ['--project', 'lib/build/package', '--pretty', 'false'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  faults = compiler.stdout.split('\n').filter((line) => line.includes("'lib' compiler option"));
});

describe('of the language, Node 20 has what', () => {
  it('the construct uses at a synthesis', () => {
    // What only newer ones have is found: the gateway's functions use it.
    expect(faults.some((fault) => fault.startsWith('shared/message/dispatch/'))).toBe(true);
    expect(lacking('lib/messaging-gateway.ts')).toEqual([]);
  });

  it("the administrators' command uses, with what its bundle supplies", () => {
    const names = lacking('bin/admin.ts').map(
      (fault) =>
        /'(\w+)' does not exist on type '(\w+)Constructor'/.exec(fault)?.slice(1).reverse().join('.') ??
        fault,
    );
    const { text } = read(supplied);
    expect(names.filter((name) => !text.includes(`\n${name} ??= `))).toEqual([]);
    expect(read('lib/build/package/package-construct.ts').text).toContain("'for-node-20.ts'");
  });
});
