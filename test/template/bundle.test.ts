import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { buildSync } from 'esbuild';
import { bundleSettings } from '../../lib/build/bundle.ts';
import { bundleAnswers } from '../../lib/build/bundle-api-document.ts';

const { metafile } = buildSync({
  ...bundleSettings,
  entryPoints: readdirSync(join(import.meta.dirname, '../../functions'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `functions/${file}`),
  outdir: 'never-written',
  write: false,
  metafile: true,
});

/** What of the sources stands in each bundle. */
const carriedBy = new Map(
  Object.entries(metafile.outputs).map(([file, { inputs }]) => [
    file,
    Object.keys(inputs).filter((input) => (inputs[input]?.bytesInOutput ?? 0) > 0),
  ]),
);

describe('a function’s bundle', () => {
  it.each(Object.keys(metafile.outputs))(
    '%s carries nothing that was left out for its start’s sake',
    (file) => {
      // Chained zod and its languages; credentials that Lambda has not; what only event streams need.
      const leftOut =
        /zod\/v4\/(classic|locales\/(?!(?:en|index)\.js))|nested-clients|credential-provider-(?!env)|submodules\/event-streams/;
      expect(carriedBy.get(file)?.filter((input) => leftOut.test(input))).toEqual([]);
    },
  );

  it.each(Object.keys(metafile.outputs))('%s carries of no service all its operations', (file) => {
    // The client that has every operation as a method: there when a bundle takes in a service as a whole.
    const whole = /@aws-sdk\/client-[^/]+\/dist-es\/(?!\w+Client\.js)[A-Z]\w+\.js$/;
    expect(carriedBy.get(file)?.filter((input) => whole.test(input))).toEqual([]);
  });

  it('carries the numbering plans only where a request names a number or a country', () => {
    const carriers = [...carriedBy.keys()].filter((file) =>
      carriedBy.get(file)?.some((input) => input.includes('libphonenumber-js/')),
    );
    expect(carriers.map((file) => parse(file).name)).toEqual([
      'admin-api',
      'send-bulk-sms',
      'send-otp',
      'send-sms',
      'send-whatsapp',
      'verify-otp',
    ]);
  });
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
