import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { buildSync } from 'esbuild';
import { bundleSettings } from '../../lib/bundle.ts';
import { bundleAnswers } from '../../lib/bundle-answers.ts';

const { metafile } = buildSync({
  ...bundleSettings,
  entryPoints: readdirSync(join(import.meta.dirname, '../../functions'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `functions/${file}`),
  outdir: 'never-written',
  write: false,
  metafile: true,
});

describe('a function’s bundle', () => {
  it.each(Object.keys(metafile.outputs))(
    '%s carries nothing that was left out for its start’s sake',
    (file) => {
      const carried = Object.entries(metafile.outputs[file]?.inputs ?? {})
        .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
        .map(([input]) => input);
      // Chained zod and its languages; credentials that Lambda has not; what only event streams need.
      const leftOut =
        /zod\/v4\/(classic|locales\/(?!(?:en|index)\.js))|nested-clients|credential-provider-(?!env)|submodules\/event-streams/;
      expect(carried.filter((input) => leftOut.test(input))).toEqual([]);
    },
  );
});

describe('the answers that describe the API', () => {
  const made = mkdtempSync(join(tmpdir(), 'answers-'));
  afterAll(() => rmSync(made, { recursive: true }));

  function make(folder: string): ReadonlyMap<string, string> {
    bundleAnswers(bundleSettings, join(made, folder));
    const answers = join(made, folder, 'answers');
    return new Map(readdirSync(answers).map((name) => [name, readFileSync(join(answers, name), 'utf8')]));
  }

  it('are one for each route of the function, the same bytes each time that they are made', () => {
    const first = make('first');
    expect([...first.keys()].toSorted()).toEqual([
      'getDocs.json',
      'getOpenApiDocument.json',
      'getWebhookGuide.json',
    ]);
    expect(make('second')).toEqual(first);
  });
});
