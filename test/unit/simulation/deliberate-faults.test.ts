import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { deliberateFaults } from '../../support/simulation/deliberate-fault.ts';
import { changedText } from '../../support/simulation/lambda/source-change.ts';

const root = join(import.meta.dirname, '../../..');

it('has deliberate faults that fit the code: a change of the code must update them', async () => {
  const misfits = Object.entries(await deliberateFaults()).flatMap(([name, { changes }]) =>
    changes.flatMap((change) => {
      const path = join(root, change.file);
      if (!existsSync(path)) return [`${name}: there is no ${change.file}`];
      try {
        changedText(readFileSync(path, 'utf8'), change);
        return [];
      } catch (error) {
        return [`${name}: ${String(error)}`];
      }
    }),
  );
  expect(misfits).toEqual([]);
});

it('names a promise that each deliberate fault breaks', async () => {
  const contract = readFileSync(join(root, 'docs/contract.md'), 'utf8');
  const unknown = Object.entries(await deliberateFaults()).filter(([, { promise }]) =>
    /^\d/.test(promise)
      ? !contract.includes(`**${promise}**`)
      : !existsSync(join(root, 'docs', `${promise}.md`)),
  );
  expect(unknown.map(([name, { promise }]) => `${name}: ${promise}`)).toEqual([]);
});
